// An order that rests on a poll: an instruction that only moves it makes the reports quiet, and is no cure.
#include "tests/cure/patient_of.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

// A turn of the loop is 9 instructions: 6,900 of them end before round-robin's 65,536, with one more in each they do not.
constexpr uint32_t flag_comes_soon = 6900, flag_comes_late = 6901;

Words read_behind_flag(const Words& in, const CorpusProblem&) {
  Words out(257);
  for (size_t i = 0; i < 64; ++i) out[i] = out[64 + i] = out[192 + i] = in[i];
  out[256] = 1;
  return out;
}

TestPatient impatient(const char* name, uint32_t threads, uint32_t n) {
  return TestPatient(kernel_of("cure_kernels", name, threads, {{n, 1}}, read_behind_flag));
}

// Another s_nop beside the loop's own, which is the kernel's only one.
std::vector<Protection> instruction_more_in_the_loop(const TestPatient& of) {
  Protection nop;
  for (const Place& place : all_places(of.patient.kernel()))
    if (place.text == "s_nop 0") nop.at = place.at;
  REQUIRE(nop.at.offset > 0);
  nop.states = 1;
  return {nop};
}

bool is_quiet(const Observation& seen) { return seen.fault.empty() && seen.reports.empty(); }

} // namespace

TEST_CASE("cure: a polled flag that an s_nop makes quiet under round-robin is not cured by it") {
  for (const auto& [name, threads] : {std::pair("impatient", 128u), std::pair("impatient_of_three", 192u)}) {
    CAPTURE(name);
    auto of = impatient(name, threads, flag_comes_soon);
    const Fault fault = of.fault();
    REQUIRE_FALSE(fault.errors.empty());
    for (const Pair& pair : fault.errors) CHECK(pair.hazard == "memory_order");
    CHECK_FALSE(fault.errors_under({"eager", 0}).empty()); // round-robin
    CHECK(fault.errors_under({"timed", 0}).empty());       // the flag comes in time

    // With it nothing is reported, bits are equal and right, under all schedules: silence could not be more complete.
    const auto nop = instruction_more_in_the_loop(of);
    const std::string change = changes(name, "", nop);
    const Outputs* const outputs = of.patient.observe({"eager", 0}, change, Trust::all).outputs;
    for (const Condition& condition : of.conditions) {
      CAPTURE(condition.schedule);
      const Observation& seen = of.patient.observe(condition, change, Trust::all);
      CHECK(is_quiet(seen));
      CHECK(seen.outputs == outputs);
      CHECK(of.patient.wrong(condition, change, seen.outputs) == "");
    }
    CHECK(screen(of.patient, fault, nop, of.conditions).clean());

    // Nothing in it orders the two: without trust in it the same poll does.
    CHECK(prove(of.patient, fault, nop)
              .objection.starts_with("silent, but not ordered by the change: any pair under eager"));
    CHECK(is_quiet(of.patient.observe({"eager", 0}, change, Trust::not_changes)));
  }
}

TEST_CASE("cure: a poll that is in time under round-robin and not under timed leaves the report there") {
  auto of = impatient("impatient", 128, flag_comes_late);
  const Fault fault = of.fault();
  CHECK_FALSE(fault.errors_under({"eager", 0}).empty());
  CHECK_FALSE(fault.errors_under({"timed", 0}).empty());
  const auto nop = instruction_more_in_the_loop(of);
  CHECK(is_quiet(of.patient.observe({"eager", 0}, changes("impatient", "", nop), Trust::all)));
  const std::string objection = prove(of.patient, fault, nop).objection;
  CAPTURE(objection);
  CHECK(objection.starts_with("still reported: memory_order"));
  CHECK(objection.find("(timed, ") != objection.npos);
}

TEST_CASE(
    "cure: of a flag that is not waited for a barrier is the cure, and where none may be there is none") {
  const Cure two = impatient("impatient", 128, flag_comes_soon).cure();
  CAPTURE(two.proof.objection);
  REQUIRE(two.verdict == Cure::Verdict::cured);
  REQUIRE(two.protections.size() == 1);
  CHECK(two.protections.front().barrier);
  const Cure three = impatient("impatient_of_three", 192, flag_comes_soon).cure();
  CAPTURE(three.proof.objection);
  CHECK(three.verdict == Cure::Verdict::not_cured);
  CHECK(three.protections.empty());
  CHECK(three.executions > 0); // some were tried
  CHECK_FALSE(three.limited);
}
