// The embedded device's own speed against the host's, side by side in one run. Nothing here says anything
// about the speed of a gfx950.
#include "harness/accuracy/row_sample.hpp"
#include "harness/bench/device_loops.hpp"
#include "harness/bench/host_peak.hpp"
#include "harness/bench/stopwatch.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/commands/commands.hpp"
#include "harness/device/case_run.hpp"
#include "harness/perf/timing_in_force.hpp"
#include "harness/report/progress.hpp"
#include "harness/workload/generate.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fmha950::harness {

namespace {

// 4.3 GFLOP: a fraction of a second on the embedded device, and enough workgroups for several threads.
constexpr const char* default_case = "batch_prefill/h=8:1/sq=512/sk=2048/d=128/q=bf16/kv=bf16/page=64";

struct State {
  std::string attention_case = default_case, implementation = "prepass";
  int repeats = 7;
};

constexpr int64_t fma_iterations = 4'000'000;
constexpr int mfma_iterations = 40'000;
constexpr int valu_iterations = 100'000;

// Instructions that the cycle model has replayed since it was last asked.
double replayed_instructions() {
  double sum = 0;
  std::istringstream lines(hip::api().Timings());
  for (std::string line; std::getline(lines, line);) {
    const auto launch = nlohmann::json::parse(line);
    for (const auto& run : launch.at("runs"))
      for (const auto& [pipe, issued] : run.at("issued").items()) sum += issued.get<double>();
  }
  return sum;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void figure(const char* name, double value, const char* unit) {
  fmt::print("{} {:.4g} {}\n", name, value, unit);
}

int bench(const State& state) {
  if (!hip::runtime().embedded)
    throw InvalidInput("device", hip::runtime().device, "bench measures the embedded device; this is a GPU");
  if (state.repeats < 1) throw InvalidInput("repeats", std::to_string(state.repeats), "must be at least 1");
  const Problem problem = parse_case(state.attention_case);
  const Dispatch choice = dispatch(state.implementation, problem).front();
  if (choice.implementation == nullptr) throw InvalidInput("case", state.attention_case, choice.why_not);
  const Tensors tensors = workload::make_tensors(problem);
  CaseRun attention(*choice.implementation, problem, tensors);
  const std::vector<QueryRow> rows = all_rows(problem);
  const double attention_flop = attention_flops(problem, tensors);
  DeviceLoops loops;

  const Variation one_thread{"", "1", "", "none"}, two_threads{"", "2", "", "none"};
  const Variation checked{"", "1", "", "all"};
  const auto run_attention = [&](const Variation& threads) {
    return elapsed([&] { attention.run(threads, rows); });
  };
  // Each round measures everything, so that a host that slows down slows down all of it; figures are medians
  // of rounds.
  std::map<std::string, std::vector<double>> samples;
  Progress progress(static_cast<size_t>(state.repeats) + 1);
  for (int round = 0; round <= state.repeats; ++round) {
    progress.start(round == 0 ? "warm-up" : fmt::format("round {}", round));
    // First: its setting stays until another run changes it, and the loops below have none of their own.
    const Elapsed with_checks = run_attention(checked);
    const Elapsed two = run_attention(two_threads), one = run_attention(one_thread);
    const Elapsed modelled = elapsed([&] {
      const TimingInForce timing("samples");
      attention.run(one_thread, rows);
    });
    const double instructions = replayed_instructions();
    double host_flop = 0;
    const Elapsed host = elapsed([&] { host_flop = run_host_fma(fma_iterations); });
    const Elapsed mfma = elapsed([&] { loops.run_mfma(mfma_iterations); });
    const Elapsed valu = elapsed([&] { loops.run_valu(valu_iterations); });
    progress.done();
    if (round == 0) continue;
    const double peak = host_flop / host.cpu;
    const double mfma_speed = DeviceLoops::mfma_flops(mfma_iterations) / mfma.cpu;
    const double attention_speed = attention_flop / one.cpu;
    samples["peak"].push_back(peak);
    samples["mfma"].push_back(mfma_speed);
    samples["mfma_of_peak"].push_back(mfma_speed / peak);
    samples["attention"].push_back(attention_speed);
    samples["attention_of_peak"].push_back(attention_speed / peak);
    samples["checking"].push_back(with_checks.cpu / one.cpu);
    samples["model"].push_back(instructions / (modelled.cpu - one.cpu));
    samples["scaling"].push_back(one.wall / two.wall);
    samples["valu"].push_back(valu.cpu / DeviceLoops::valu_instructions(valu_iterations));
  }
  progress.clear();
  fmt::print(stderr, "embedded device, host path {}, medians of {} rounds, attention: {} {}\n",
             host_simd_path(), state.repeats, state.implementation, print_case(problem));
  figure("host_fma_peak", median(samples["peak"]) / 1e9, "GFLOP/s");
  figure("mfma_bf16", median(samples["mfma"]) / 1e9, "GFLOP/s");
  figure("attention_bf16", median(samples["attention"]) / 1e9, "GFLOP/s");
  figure("mfma_bf16_of_fma_peak", median(samples["mfma_of_peak"]), "ratio");
  figure("attention_bf16_of_fma_peak", median(samples["attention_of_peak"]), "ratio");
  figure("two_core_scaling", median(samples["scaling"]), "ratio");
  figure("hazard_checking_slowdown", median(samples["checking"]), "ratio");
  figure("model_instructions", median(samples["model"]) / 1e6, "million/s");
  figure("valu_ns", median(samples["valu"]) * 1e9, "ns");
  figure("rounds", state.repeats, "count");
  return 0;
}

} // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  auto state = std::make_shared<State>();
  CLI::App* command = app.add_subcommand("bench", "The embedded device's own speed, as ratios to the host's");
  command->add_option("--case", state->attention_case, "The attention problem that is timed")
      ->capture_default_str();
  command->add_option("--impl", state->implementation, "The implementation that is timed")
      ->capture_default_str();
  command->add_option("--repeats", state->repeats, "Rounds; figures are medians")->capture_default_str();
  command->callback([state, &exit_code] { exit_code = bench(*state); });
}

} // namespace fmha950::harness
