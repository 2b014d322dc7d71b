// What a proof says no to.
#include "tests/cure/patient_of.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

Words plus_one(const Words& in, const CorpusProblem&) {
  Words out(in.begin(), in.begin() + 64);
  for (uint32_t& word : out) ++word;
  return out;
}

TestPatient late_wait() {
  return TestPatient(std::make_unique<TestSubject>("cure_kernels", "late_wait", 64,
                                                   std::vector<CorpusProblem>{{128, 1}}, plus_one));
}

Protection before(uint64_t offset, const std::function<void(Protection&)>& set) {
  Protection protection;
  protection.offset = offset;
  set(protection);
  return protection;
}

} // namespace

TEST_CASE("proof: the right wait holds, and is what orders the pair") {
  auto late = late_wait();
  const Fault fault = late.fault();
  const uint64_t use = fault.reports.front().later_offset;
  const Proof proof = prove(late.patient, fault, {before(use, [](Protection& p) { p.vmcnt = 0; })});
  CHECK(proof.objection == "");
  CHECK(proof.judged == "right by the oracle, bits equal under all schedules");
}

TEST_CASE("proof: another counter, one operation too many, a place too late, and an s_nop are none") {
  auto late = late_wait();
  const Fault fault = late.fault();
  const uint64_t use = fault.reports.front().later_offset;
  const auto objection = [&](uint64_t offset, const std::function<void(Protection&)>& set) {
    return prove(late.patient, fault, {before(offset, set)}).objection;
  };
  for (const std::string& text : {objection(use, [](Protection& p) { p.lgkmcnt = 0; }),
                                  objection(use, [](Protection& p) { p.vmcnt = 1; }),
                                  objection(use + 4, [](Protection& p) { p.vmcnt = 0; }),
                                  objection(use, [](Protection& p) { p.states = 16; })})
    CHECK(text.starts_with("still reported: register_in_flight"));
}

TEST_CASE("proof: silence that the change did not make is no cure") {
  // The base waits already, so nothing is reported; an s_nop more orders nothing.
  auto late = late_wait();
  Fault fault = late.fault();
  const uint64_t use = fault.reports.front().later_offset;
  late.patient.adopt(before(use, [](Protection& p) { p.vmcnt = 0; }).id("late_wait"));
  // What was adopted is doubted as well: it is the base's waits that must not count.
  const Proof proof = prove(late.patient, fault, {before(use, [](Protection& p) { p.states = 1; })});
  CHECK(proof.holds());
  auto tight = TestPatient(std::make_unique<TestSubject>("cure_kernels", "loose_wait", 64,
                                                         std::vector<CorpusProblem>{{128, 1}}, plus_one));
  const Fault of_tight = tight.fault();
  const uint64_t end = tight.offset_of(of_tight, "s_waitcnt vmcnt(0)");
  CHECK_FALSE(prove(tight.patient, of_tight, {before(end, [](Protection& p) { p.vmcnt = 0; })}).holds());
}

TEST_CASE("proof: a barrier holds where it stands between the two and in no other place") {
  const auto subjects = corpus_subjects();
  const auto subject =
      std::ranges::find_if(subjects, [](const auto& each) { return each->name().ends_with("/two_groups"); });
  REQUIRE(subject != subjects.end());
  set_judging_options(isa_budget);
  const auto mutants = mutants_of((*subject)->kernel());
  // One half has its barrier still, and waits for the other.
  const auto dropped = std::ranges::find_if(mutants, [](const Mutant& mutant) {
    return mutant.change == "barrier-drop" && mutant.source.ends_with("compute.hip:164");
  });
  REQUIRE(dropped != mutants.end());
  SubjectPatient patient(**subject, (*subject)->kernel(), dropped->id);
  const Fault fault = fault_of(patient, {{"eager", 0}, {"lazy", 0}});
  REQUIRE_FALSE(fault.errors.empty());
  size_t held = 0, refused = 0;
  for (const Place& place : ways_between(patient.kernel(), 0, 0)) {
    const bool holds =
        prove(patient, fault, {before(place.offset, [](Protection& p) { p.barrier = true; })}).holds();
    CAPTURE(place.offset, place.text, dropped->offset);
    // Right behind where it was: from there to the read of that half.
    if (place.offset == dropped->offset + 4) CHECK(holds);
    if (place.offset < dropped->offset - 8)
      CHECK_FALSE(holds); // above the branch, or before the wait for what it wrote
    (holds ? held : refused) += 1;
  }
  CHECK(held >= 1);
  CHECK(refused > 3 * held);
}
