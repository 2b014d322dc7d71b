// Probes as implementations can be asked for them.
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "interface/implementation.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

TEST_CASE("probes ask for no LSE where that is all that an implementation lacks") {
  const Implementation &direct = find_implementation("pipelined_direct_p"),
                       &pipelined = find_implementation("pipelined");
  const Implementation *const both[] = {&direct, &pipelined}, *const alone[] = {&direct};
  size_t without = 0;
  for (const Probe& probe : select_probes(all_probes(), "^page_permutation/")) {
    CHECK((asked_of(both, probe).problem == probe.problem || !pipelined.supports(probe.problem)));
    const Probe asked = asked_of(alone, probe);
    if (!direct.supports(asked.problem)) {
      CHECK(asked.problem == probe.problem);
      continue;
    }
    ++without;
    CHECK(probe.problem.lse);
    CHECK_FALSE(asked.problem.lse);
    for (const auto& page : asked.alone) CHECK_FALSE(page->problem.lse);
  }
  CHECK(without > 20);
}
