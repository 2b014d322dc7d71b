// Which reports convict an ISA mutant: of its kernel, of what the protection prevents, around its place.
#include "harness/mutation/mutant.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::harness;

namespace {

// Straight code but for a loop from 0x40 to 0x60.
Mutant mutant(const std::string& change, Places before, Places after) {
  Mutant result;
  result.id = "kernel+0x20:" + change;
  result.offset = 0x20;
  result.change = change;
  result.before = std::move(before);
  result.after = std::move(after);
  return result;
}
Mutant at_0x20(const std::string& change) { return mutant(change, {{0, 0x20}}, {{0x20, 0x100}}); }
Mutant in_loop(const std::string& change) { return mutant(change, {{0, 0x60}}, {{0x40, 0x100}}); }

HazardReport report(const std::string& hazard, uint64_t earlier, uint64_t later) {
  HazardReport result;
  result.hazard = hazard;
  result.kernel = "kernel";
  result.earlier = "a.hip:1: x";
  result.later = "a.hip:2: y";
  result.earlier_place.offset = earlier;
  result.later_place.offset = later;
  return result;
}

} // namespace

TEST_CASE("mutants: a report convicts only across the mutated place") {
  const Mutant wait = at_0x20("vmcnt-drop");
  CHECK(convicts(report("register_in_flight", 0x10, 0x30), wait));
  CHECK_FALSE(convicts(report("register_in_flight", 0x10, 0x18), wait));
  CHECK_FALSE(convicts(report("register_in_flight", 0x28, 0x30), wait));
  CHECK_FALSE(convicts(report("register_in_flight", 0x30, 0x10), wait)); // a wave has an order
  CHECK(convicts(report("lds_order", 0x30, 0x10), wait));                // waves have none among them
  CHECK_FALSE(convicts(report("lds_order", 0x30, 0x38), wait));
}

TEST_CASE("mutants: in a loop the way may lead around") {
  const Mutant wait = in_loop("lgkmcnt+1");
  CHECK(convicts(report("register_in_flight", 0x58, 0x48), wait));
  CHECK_FALSE(convicts(report("register_in_flight", 0x80, 0x90), wait));
}

TEST_CASE("mutants: each protection prevents hazards of its own, num_records any") {
  CHECK(convicts(report("wait_states", 0x10, 0x30), at_0x20("nop-drop")));
  CHECK_FALSE(convicts(report("register_in_flight", 0x10, 0x30), at_0x20("nop-drop")));
  CHECK(convicts(report("lds_order", 0x10, 0x30), at_0x20("barrier-drop")));
  CHECK(convicts(report("barrier_divergence", 0x10, 0x30), at_0x20("barrier-drop")));
  CHECK_FALSE(convicts(report("wait_states", 0x10, 0x30), at_0x20("barrier-drop")));
  CHECK_FALSE(convicts(report("barrier_divergence", 0x10, 0x30), at_0x20("vmcnt+1")));
  CHECK_FALSE(convicts(report("uninitialised", 0x10, 0x30), at_0x20("vmcnt+1")));
  CHECK(convicts(report("out_of_bounds", 0x80, 0x90), at_0x20("num_records")));
}

TEST_CASE(
    "mutants: groups of waves that are a barrier apart at the end convict nobody, as an error they do") {
  HazardReport divergence = report("barrier_divergence", 0x10, 0x30);
  divergence.severity = "note";
  CHECK(only_staggers(divergence));
  CHECK_FALSE(convicts(divergence, at_0x20("barrier-drop")));
  divergence.severity = "error";
  CHECK_FALSE(only_staggers(divergence));
  CHECK(convicts(divergence, at_0x20("barrier-drop")));
  HazardReport equal_bytes = report("lds_order", 0x10, 0x30);
  equal_bytes.severity = "note";
  CHECK_FALSE(only_staggers(equal_bytes));
}

TEST_CASE("mutants: a report of another kernel, or without a source line or a party, convicts nobody") {
  HazardReport other = report("lds_order", 0x10, 0x30);
  other.kernel = "relative";
  CHECK_FALSE(convicts(other, at_0x20("vmcnt+1")));
  HazardReport nowhere = report("lds_order", 0x10, 0x30);
  nowhere.later = ": y";
  CHECK_FALSE(convicts(nowhere, at_0x20("vmcnt+1")));
  HazardReport alone = report("lds_order", 0x10, 0x30);
  alone.earlier = "";
  CHECK_FALSE(convicts(alone, at_0x20("vmcnt+1")));
}
