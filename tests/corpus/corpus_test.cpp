// The corpus itself: every kernel computes what the host expects under every schedule, without a report;
// every classic mistake is reported by its name.
#include "harness/device/hazards.hpp"
#include "harness/mutation/corpus.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/error.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <set>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

void set(const char* option, const std::string& value) {
  REQUIRE(hip::api().SetOption(option, value.c_str()) == 0);
}

std::set<std::string> hazards_of_run(CorpusRun& run, std::string& wrong) {
  try {
    wrong = run.difference(run.run());
  } catch (const DeviceError& error) {
    wrong = error.what();
    REQUIRE(hip::api().ClearFault() == 0);
  }
  std::set<std::string> classes;
  for (const HazardReport& report : take_hazards()) classes.insert(report.hazard);
  return classes;
}

} // namespace

TEST_CASE("corpus: at least 25 sound kernels and nine classic mistakes, each with problems") {
  const auto kernels = corpus();
  CHECK(std::ranges::count(kernels, "clean", &CorpusKernel::verdict) >= 25);
  CHECK(std::ranges::count_if(kernels, [](const auto& k) { return k.verdict != "clean"; }) == 9);
  for (const CorpusKernel& kernel : kernels) {
    CAPTURE(kernel.name);
    CHECK_FALSE(kernel.problems.empty());
    for (const CorpusProblem& problem : kernel.problems) {
      CHECK(problem.workgroups >= 1);
      CHECK(problem.workgroups <= 4);
    }
  }
}

TEST_CASE("corpus: sound kernels give the host's result and no report, mistakes theirs") {
  set("check", "all");
  set("budget", "100000");
  set("report", "/dev/null");
  for (const CorpusKernel& kernel : corpus())
    for (const CorpusProblem& problem : kernel.problems) {
      CorpusRun run(kernel, problem);
      for (const std::string& schedule : mutation_schedules(6)) {
        CAPTURE(kernel.name, problem.n, problem.workgroups, schedule);
        set("schedule", schedule);
        std::string wrong;
        const auto classes = hazards_of_run(run, wrong);
        if (kernel.verdict == "clean") {
          CHECK(wrong == "");
          CHECK(classes == std::set<std::string>{});
        } else {
          CHECK(classes.contains(kernel.verdict));
        }
      }
    }
}
