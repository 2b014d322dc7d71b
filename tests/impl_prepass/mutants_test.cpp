// Every protection of the attention kernel is needed: without it, some schedule of the embedded device gives
// another result or a report. The kernel itself gives the same bits under all of them.
#include "harness/accuracy/row_sample.hpp"
#include "harness/device/case_run.hpp"
#include "harness/workload/generate.hpp"
#include "impl_prepass/prepass_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

using namespace fmha950;

namespace {

class Variant final : public Implementation {
 public:
  explicit Variant(std::string variant) : variant_(std::move(variant)) {}
  std::string_view name() const override { return variant_; }
  std::string_view description() const override { return "prepass with another attention kernel"; }
  Support supports(const Problem&) const override { return {}; }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    return std::make_unique<prepass::PrepassPlan>(problem, host, device, variant_);
  }

 private:
  std::string variant_;
};

struct Mutant {
  std::string name, kernel; // bf16 or blockscale
};

std::vector<Mutant> mutants() {
  std::ifstream file(FMHA950_SOURCE_DIR "/impl_prepass/mutants.txt");
  std::vector<Mutant> result;
  for (std::string line; std::getline(file, line);) {
    Mutant mutant;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream(line) >> mutant.name >> mutant.kernel;
    result.push_back(mutant);
  }
  return result;
}

const std::vector<std::string> schedules = {
    "eager",    "lazy",          "lazy,random:1",  "eager,random:2",
    "random:3", "lazy,starve:0", "eager,starve:5", "random:4,random:5"};

// All eight waves busy, eight tiles, pages smaller than a tile, a length off every boundary.
const std::string shape = "batch_prefill/h=8:1/sq=32/sk=470/d=128/page=16/lse=1";

struct Case {
  Problem problem;
  Tensors tensors;
  explicit Case(const std::string& text)
      : problem(parse_case(text)), tensors(workload::make_tensors(problem)) {}
  harness::RowOutputs run(const std::string& variant, const std::string& schedule) const {
    harness::CaseRun run(Variant(variant), problem, tensors);
    return run.run({.schedule = schedule, .threads = "", .mfma = ""}, harness::all_rows(problem)).rows;
  }
};

} // namespace

TEST_CASE("the attention kernel gives the same bits under every schedule", "[slow]") {
  const Case plain(shape);
  const auto expected = plain.run("prepass_attention_bf16", "eager");
  for (const std::string& schedule : schedules) {
    CAPTURE(schedule);
    CHECK(plain.run("prepass_attention_bf16", schedule) == expected);
  }
}

TEST_CASE("removing any protection is seen under some schedule", "[slow]") {
  const std::map<std::string, Case> cases = {{"bf16", Case(shape)},
                                             {"blockscale", Case(shape + "/kv=fp8/quant=page")}};
  const auto all = mutants();
  REQUIRE(all.size() >= 6);
  for (const Mutant& mutant : all) {
    const Case& problem = cases.at(mutant.kernel);
    const std::string original =
        mutant.kernel == "bf16" ? "prepass_attention_bf16" : "prepass_attention_bf16_blockscale";
    const auto expected = problem.run(original, "eager");
    std::string seen_under;
    for (const std::string& schedule : schedules) {
      try {
        if (problem.run("prepass_mutant_" + mutant.name, schedule) == expected) continue;
        seen_under += schedule + "; ";
      } catch (const DeviceError&) { // the device reported it
        seen_under += schedule + " (report); ";
        if (hip::api().ClearFault != nullptr) hip::api().ClearFault();
      }
    }
    INFO(mutant.name << " seen under " << seen_under);
    CHECK(!seen_under.empty());
  }
}
