// Option paths: on which ways waves went while operations were in flight.
#include "harness/device/embedded_device.hpp"
#include "harness/mutation/mutant.hpp"
#include "interface/error.hpp"
#include "tests/corpus/kernel_named.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <set>
#include <sstream>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

using Lines = std::set<std::string>;

Lines paths_of(const std::string& name, const std::string& mutant) {
  const CorpusKernel kernel = kernel_named(name);
  CorpusRun run(kernel, kernel.problems.back());
  set_option("schedule", "eager");
  set_option("mutant", mutant);
  set_option("paths", "1");
  run.run();
  set_option("paths", "0");
  set_option("mutant", "");
  std::istringstream text(hip::api().Paths());
  Lines lines;
  for (std::string line; std::getline(text, line);) lines.insert(line);
  return lines;
}

// All waits of the kernel on one counter, missing together.
std::string without_waits(const std::string& name, const std::string& change) {
  const CorpusKernel kernel = kernel_named(name);
  std::string ids;
  for (const Mutant& mutant : mutants_of(hip::load_kernel(kernel.code_object, name)))
    if (mutant.change == change) ids += (ids.empty() ? "" : ",") + mutant.id;
  return ids;
}

} // namespace

TEST_CASE("paths: a loop shows branch and operation, and without its waits more is in flight on more ways") {
  const Lines sound = paths_of("ping_pong_global_lds", "");
  REQUIRE_FALSE(sound.empty());
  for (const std::string& line : sound) {
    CAPTURE(line);
    CHECK_THAT(line, Catch::StartsWith("ping_pong_global_lds\t0x"));
    CHECK(std::ranges::count(line, '\t') == 2);
  }
  const Lines mutated = paths_of("ping_pong_global_lds", without_waits("ping_pong_global_lds", "vmcnt-drop"));
  CHECK(mutated.size() > sound.size());
  CHECK(std::ranges::includes(mutated, sound));
}

TEST_CASE("paths: straight code has none, but its launch is named") {
  CHECK(paths_of("prefetch_registers", "") == Lines{"prefetch_registers"});
}

TEST_CASE("paths: they are taken once, and nobody follows them who did not ask") {
  CHECK_FALSE(paths_of("ping_pong_global_lds", "").empty());
  CHECK(std::string(hip::api().Paths()).empty());
  const CorpusKernel kernel = kernel_named("ping_pong_global_lds");
  CorpusRun(kernel, kernel.problems.front()).run();
  CHECK(std::string(hip::api().Paths()).empty());
  CHECK_THROWS_WITH(set_option("paths", "2"), Catch::Contains("must be 0 or 1"));
}
