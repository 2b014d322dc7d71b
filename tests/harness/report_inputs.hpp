#pragma once
// What the report's tests make pages and figures of: records of modelled runs and a timeline, in the harness's own forms.

#include "harness/record/record.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace fmha950::harness {

// Modelled with twice the clocks of implementation 0 for implementation 1, and so on.
inline Record modelled(const std::string& case_string, const std::string& implementation, double flops,
                       int slowness) {
  Record record;
  record.command = "perf";
  record.case_string = case_string;
  record.requested = record.resolved = implementation;
  record.variant = implementation + "/<variant>";
  record.outcome = Outcome::passed();
  AccuracyResult accuracy;
  accuracy.verdict.kernel.relative_l2 = 0.02 / slowness;
  accuracy.verdict.kernel.rmse = 0.005 / slowness;
  accuracy.verdict.limits = {{"rmse", 0.005 / slowness, 0.01, ""}};
  accuracy.audit_curves.tiles = {{-8, {0.001, -0.002, 0.003}, {0.004, 0.004, 0.005}}};
  accuracy.quantisation = ErrorMetrics{};
  accuracy.quantisation->relative_l2 = 0.03;
  record.accuracy = accuracy;
  const double clocks = flops / 4e6 * slowness;
  record.modelled = Modelled{
      .flops = flops,
      .launches = {{.kernel = "prologue",
                    .workgroups = 16,
                    .sampled = 1,
                    .resident = 8,
                    .clocks = clocks / 10,
                    .occupied = 0.1,
                    .sampling_error = 0.0,
                    .busy = {{"valu", 0.2}},
                    .spent = {{"issue", 0.4}, {"vmcnt", 0.6}},
                    .matrix = {},
                    .bytes = {{"l2", 1e4}},
                    .assumed = {}},
                   {.kernel = "attention",
                    .workgroups = 128,
                    .sampled = 3,
                    .resident = 2,
                    .clocks = clocks,
                    .occupied = 0.9,
                    .sampling_error = 0.05,
                    .busy = {{"matrix", 0.6}, {"valu", 0.5}, {"lds", 0.2}, {"vmem", 0.1}},
                    .spent = {{"issue", 0.4},
                              {"matrix_busy", 0.2},
                              {"valu_busy", 0.1},
                              {"barrier", 0.2},
                              {"lgkmcnt", 0.06},
                              {"unheard_of", 0.04}},
                    .matrix = {{"bf16", 0.0}, {"f8f6f4", 0.6}},
                    .bytes = {{"l1", flops / 300}, {"l2", flops / 600}, {"mall", flops / 1000}, {"hbm", 0.0}},
                    .assumed = {}}},
      .matrix_peak = 8192 * 256,
      .tile_flops = flops};
  record.environment.device = "gfx950 (embedded)";
  record.reproduce = "./fmha950 perf '" + case_string + "'";
  return record;
}

inline const std::string seed =
    "batch_prefill/h=6:1/sq=1024/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=1/causal=1";

// Lengths, pages and a second operator, so that every figure has something to show.
inline std::string lines() {
  std::string text;
  for (const char* implementation : {"baseline", "pipelined", "somebody_elses"}) {
    const int slowness = implementation[0] == 'b' ? 3 : implementation[0] == 'p' ? 1 : 2;
    for (const int n : {1024, 2048}) {
      const std::string length = std::to_string(n);
      const std::string head =
          "batch_prefill/h=6:1/sq=" + length + "/sk=" + length + "/d=128/q=fp8/kv=fp8/quant=tensor/";
      for (const char* pages : {"page=1/", "page=64/", "page=1/paged=0/"})
        text += to_json(modelled(head + pages + "causal=1", implementation, 1.5e3 * n * n, slowness)).dump() +
                "\n";
    }
    text += to_json(modelled("sparse_prefill/h=64/n=256/pool=1024/chunk=1024/kv=fp8", implementation, 1e10,
                             slowness))
                .dump() +
            "\n";
  }
  return text;
}

// Two waves that repeat four matrix instructions five times, and wait between.
inline std::string timeline(const std::string& kernel = "attention") {
  nlohmann::json trace{{"otherData", {{"kernel", kernel}}}, {"traceEvents", nlohmann::json::array()}};
  const char* rows[] = {"workgroup 0 wave 0 SIMD 0", "workgroup 0 wave 1 SIMD 1", "SIMD 0 matrix",
                        "SIMD 0 valu"};
  for (int row = 0; row < 4; ++row) {
    trace["traceEvents"].push_back(
        {{"ph", "M"}, {"pid", 0}, {"tid", row}, {"name", "thread_name"}, {"args", {{"name", rows[row]}}}});
    for (int i = 0; i < 20; ++i) {
      const std::string instruction = "v_mfma v[" + std::to_string(i % 4) + "]";
      if (row < 2)
        trace["traceEvents"].push_back({{"ph", "X"},
                                        {"pid", 0},
                                        {"tid", row},
                                        {"ts", 100 * i + 10 * row + 40},
                                        {"dur", 60},
                                        {"name", i % 2 ? "barrier" : "a_reason_of_tomorrow"},
                                        {"cat", "wait"},
                                        {"args", {{"instruction", instruction}}}});
      trace["traceEvents"].push_back({{"ph", "X"},
                                      {"pid", 0},
                                      {"tid", row},
                                      {"ts", 100 * i + 10 * row},
                                      {"dur", 40},
                                      {"name", "v_mfma"},
                                      {"cat", row == 3 ? "valu" : "matrix"},
                                      {"args", {{"instruction", instruction}}}});
    }
  }
  return trace.dump();
}

} // namespace fmha950::harness
