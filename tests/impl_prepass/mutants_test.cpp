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

std::vector<std::string> mutant_names() {
  std::ifstream file(FMHA950_SOURCE_DIR "/impl_prepass/mutants.txt");
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') names.push_back(line.substr(0, line.find(' ')));
  return names;
}

const std::vector<std::string> schedules = {
    "eager",    "lazy",          "lazy,random:1",  "eager,random:2",
    "random:3", "lazy,starve:0", "eager,starve:5", "random:4,random:5"};

// All eight waves busy, eight tiles, pages smaller than a tile, a length off every boundary.
const Problem problem = parse_case("batch_prefill/h=8:1/sq=32/sk=470/d=128/page=16/lse=1");

harness::RunOutputs run(const std::string& variant, const std::string& schedule) {
  static const Tensors tensors = workload::make_tensors(problem);
  harness::CaseRun run(Variant(variant), problem, tensors);
  return run.run({.schedule = schedule, .threads = "", .mfma = ""}, harness::all_rows(problem));
}

} // namespace

TEST_CASE("the attention kernel gives the same bits under every schedule", "[slow]") {
  const auto expected = run("prepass_attention_bf16", "eager");
  for (const std::string& schedule : schedules) {
    CAPTURE(schedule);
    CHECK(run("prepass_attention_bf16", schedule).rows == expected.rows);
  }
}

TEST_CASE("removing any protection is seen under some schedule", "[slow]") {
  const auto expected = run("prepass_attention_bf16", "eager");
  const auto names = mutant_names();
  REQUIRE(names.size() >= 6);
  for (const std::string& name : names) {
    std::string seen_under;
    for (const std::string& schedule : schedules) {
      try {
        if (run("prepass_mutant_" + name, schedule).rows == expected.rows) continue;
        seen_under += schedule + "; ";
      } catch (const DeviceError&) { // the device reported it
        seen_under += schedule + " (report); ";
        if (hip::api().ClearFault != nullptr) hip::api().ClearFault();
      }
    }
    INFO(name << " seen under " << seen_under);
    CHECK(!seen_under.empty());
  }
}
