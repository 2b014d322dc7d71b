// Clocks of a program's kernel, before a cure and with it.
#include "harness/cure/program_cures.hpp"
#include "interface/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

std::vector<std::string> twice(const char* kernel) {
  const std::string object = fmt::format("{}/cure_kernels.co", CODE_OBJECTS);
  return {"/usr/bin/python3", std::string(TESTS) + "/cure/racy_program.py", object, kernel, object, kernel};
}

// What the program's own timing report says, of all launches.
double clocks_told(const std::vector<std::string>& words, const std::string& mutant) {
  const TemporaryFolder folder("test");
  const std::string file = folder.path() / "timings.jsonl";
  REQUIRE(std::system(fmt::format("env -u FMHA950_HIP_LIBRARY LD_LIBRARY_PATH={} FMHA950_SCHEDULE=eager "
                                  "FMHA950_TIMING_REPORT={} FMHA950_MUTANT='{}' '{}' >/dev/null 2>&1",
                                  DEVICE, file, mutant, fmt::join(words, "' '"))
                          .c_str()) == 0);
  std::ifstream lines(file);
  double clocks = 0;
  for (std::string line; std::getline(lines, line);)
    clocks += nlohmann::json::parse(line).at("gpu_clocks").get<double>();
  return clocks;
}

} // namespace

// Python, built without sanitizers, cannot load a device that needs them.
TEST_CASE("cure: clocks of a program are those that its timing report has", "[unsanitized]") {
  const auto words = twice("late_wait");
  cure::ProgramCureOptions options{{"eager", "lazy"}, {}};
  options.rerun = true; // all of its launches
  const auto findings = cure::cure_program(words, options);
  REQUIRE(findings.size() == 1);
  const cure::Cure& cure = findings.front().cure;
  CAPTURE(cure.proof.objection);
  REQUIRE(cure.verdict == cure::Cure::Verdict::cured);
  CHECK(cure.clocks > 0);
  CHECK(cure.clocks_cured > cure.clocks);
  CHECK(cure.clocks == clocks_told(words, ""));
  CHECK(cure.clocks_cured == clocks_told(words, findings.front().option));
  CHECK(as_text(findings.front(), 1, 1).find(" with it (+") != std::string::npos);
}
