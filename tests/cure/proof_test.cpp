// What a proof says no to.
#include "tests/cure/patient_of.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

Words room_for_all(const Words&, const CorpusProblem&) { return Words(256); }

TestPatient late_wait() {
  return TestPatient(kernel_of("cure_kernels", "late_wait", 64, {{128, 1}}, plus_one));
}

Words of_other_waves(const Words& in, const CorpusProblem& problem) {
  Words out(128);
  for (uint32_t turn = 0; turn + 128 <= problem.n; turn += 128)
    for (uint32_t t = 0; t < 128; ++t) out[t] += in[turn + 127 - t];
  return out;
}
Words of_other_waves_resting(const Words& in, const CorpusProblem& problem) {
  Words out(128);
  for (uint32_t turn = 0; turn + 128 <= problem.n; turn += 256)
    for (uint32_t t = 0; t < 128; ++t) out[t] += in[turn + 127 - t];
  return out;
}
Words mirrored_and_kept(const Words& in, const CorpusProblem&) {
  Words out(in.begin(), in.begin() + 192);
  std::reverse(out.begin(), out.begin() + 128);
  return out;
}

Protection before(uint64_t offset, const std::function<void(Protection&)>& set) {
  Protection protection;
  protection.at.offset = offset;
  set(protection);
  return protection;
}
Protection barrier_before(uint64_t offset) {
  return before(offset, [](Protection& p) { p.barrier = true; });
}

// Of the kernel's only s_nop 0, where the test's barrier or wait state is missing or would be wrong.
uint64_t marked_place(TestPatient& of) {
  const auto places = all_places(of.patient.kernel());
  const auto marked = std::ranges::find(places, "s_nop 0", &Place::text);
  REQUIRE(marked != places.end());
  return marked->at.offset;
}

TestPatient resting_turns() {
  return TestPatient(
      kernel_of("cure_kernels", "resting_turns", 128, {{640, 1}, {1152, 1}}, of_other_waves_resting));
}

} // namespace

TEST_CASE("proof: the right wait holds, and is what orders the pair") {
  auto late = late_wait();
  const Fault fault = late.fault();
  const uint64_t use = fault.reports.front().later_place.offset;
  const Proof proof = prove(late.patient, fault, {before(use, [](Protection& p) { p.vmcnt = 0; })});
  CHECK(proof.objection == "");
  CHECK(proof.judged == "right by the oracle, bits equal under all schedules");
}

TEST_CASE("proof: another counter, one operation too many, a place too late, and an s_nop are none") {
  auto late = late_wait();
  const Fault fault = late.fault();
  const uint64_t use = fault.reports.front().later_place.offset;
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
  // The base waits already, so nothing is reported; what is added orders nothing.
  auto late = late_wait();
  const Fault fault = late.fault();
  const uint64_t use = fault.reports.front().later_place.offset;
  late.patient.adopt(before(use, [](Protection& p) { p.vmcnt = 0; }).id("late_wait"));
  const Proof proof = prove(late.patient, fault, {before(use, [](Protection& p) { p.states = 1; })});
  CHECK(proof.objection.starts_with("silent, but not ordered by the change"));
}

TEST_CASE("proof: no change of one wave orders two that store by one instruction, or two workgroups") {
  const auto objections = [](const char* name, uint32_t threads, uint32_t workgroups) {
    auto of = TestPatient(kernel_of("cure_kernels", name, threads, {{128, workgroups}}, room_for_all));
    const Fault fault = of.fault();
    REQUIRE_FALSE(fault.errors.empty());
    for (const HazardReport& report : fault.reports)
      for (const uint64_t place : {report.earlier_place.offset, report.later_place.offset}) {
        const std::string said = prove(of.patient, fault,
                                       {before(place,
                                               [](Protection& p) {
                                                 p.vmcnt = p.lgkmcnt = 0;
                                                 p.states = 3;
                                               })})
                                     .objection;
        CHECK(said.starts_with("still reported"));
      }
  };
  objections("two_writers", 128, 1);
  objections("polled_flag", 64, 2);
}

TEST_CASE("proof: a barrier that takes the stagger from groups of waves is none") {
  const auto objection = [](uint32_t n) {
    auto staggered = TestPatient(kernel_of("cure_kernels", "staggered", 128, {{n, 1}}, of_other_waves));
    const Fault fault = staggered.fault();
    CHECK(
        std::ranges::any_of(fault.reports, [](const auto& report) { return report.hazard == "lds_order"; }));
    // It orders all that is reported.
    return prove(staggered.patient, fault, {barrier_before(marked_place(staggered))}).objection;
  };
  CHECK(objection(512).starts_with("the barrier takes the stagger from groups of waves"));
  CHECK(objection(513).starts_with("new report: barrier_divergence"));
}

TEST_CASE("cure: staggered groups of waves get barriers that leave them staggered") {
  for (const char* name : {"staggered", "staggered_turns", "staggered_loops"}) {
    auto staggered = TestPatient(kernel_of("cure_kernels", name, 128, {{512, 1}}, of_other_waves));
    const Cure cure = staggered.cure();
    const std::string change = changes(name, "", cure.protections);
    CAPTURE(name, cure.proof.objection, change);
    REQUIRE(cure.verdict == Cure::Verdict::cured);
    CHECK(cure.protections.size() ==
          2); // twice as many meetings: one group writes while the other reads nothing
    for (const Condition& condition : staggered.conditions) {
      CHECK(staggered.patient.observe(condition, change, Trust::all).is_staggered());
      CHECK(staggered.patient.observe(condition, "", Trust::all).is_staggered());
    }
    const Protection catching_up = barrier_before(marked_place(staggered));
    CHECK_FALSE(
        staggered.patient.observe(staggered.conditions.front(), changes(name, "", {catching_up}), Trust::all)
            .is_staggered());
  }
}

TEST_CASE("proof: a stagger is taken by a barrier in the loop, too, and by one in a loop around it") {
  for (const char* name : {"staggered_turns", "staggered_loops"}) {
    CAPTURE(name);
    auto staggered = TestPatient(kernel_of("cure_kernels", name, 128, {{512, 1}}, of_other_waves));
    const Fault fault = staggered.fault();
    REQUIRE_FALSE(fault.errors.empty());
    const Proof proof = prove(staggered.patient, fault, {barrier_before(marked_place(staggered))});
    CHECK(proof.objection.starts_with("the barrier takes the stagger from groups of waves"));
  }
}

TEST_CASE("proof: a barrier that one wave lacks in a loop brings the meetings behind it") {
  auto resting = resting_turns();
  const Fault fault = resting.fault();
  const auto is_lds = [](const auto& report) { return report.hazard == "lds_order"; };
  REQUIRE(std::ranges::any_of(fault.reports, is_lds));
  const std::vector<Protection> lost = {barrier_before(marked_place(resting))};
  const Proof proof = prove(resting.patient, fault, lost);
  CHECK(proof.objection == "");
  CHECK(proof.ordered >= 1);
  // No two accesses lie on both sides of it alone: the kernel's own barriers order them all, once they meet as they are meant to.
  const std::string change = changes("resting_turns", "", lost);
  for (const Condition& condition : resting.conditions) {
    const auto lds_errors = [&](Trust trust) {
      const auto pairs = resting.patient.observe(condition, change, trust).errors();
      return std::ranges::count(pairs, "lds_order", &Pair::hazard);
    };
    CHECK(lds_errors(Trust::all) == 0);
    CHECK(lds_errors(Trust::not_changes) == 0);
    CHECK(lds_errors(Trust::not_meetings) > 0);
  }
}

TEST_CASE("proof: what other meetings order is not ordered by a barrier that brings none of them") {
  auto resting = resting_turns();
  const Fault fault = resting.fault();
  const uint64_t lost = marked_place(resting);
  resting.patient.adopt(barrier_before(lost).id("resting_turns"));
  const auto objection = [&](uint64_t offset, const std::function<void(Protection&)>& set) {
    return prove(resting.patient, fault, {before(offset, set)}).objection;
  };
  // In the loop, on the way of both waves; and what is no barrier.
  const auto places = all_places(resting.patient.kernel());
  const auto read = std::ranges::find_if(
      places, [](const Place& place) { return place.loop_depth == 1 && place.text.starts_with("ds_read"); });
  REQUIRE(read != places.end());
  for (const std::string& text : {objection(read->at.offset, [](Protection& p) { p.barrier = true; }),
                                  objection(lost, [](Protection& p) { p.states = 1; })})
    CHECK(text.starts_with("silent, but not ordered by the change"));
}

TEST_CASE("proof: waves that have ended do not come to a barrier more, which is said") {
  auto early = TestPatient(kernel_of("cure_kernels", "early_end", 192, {{192, 1}}, mirrored_and_kept));
  const Cure cure = early.cure();
  CHECK(cure.proof.objection == "");
  REQUIRE(cure.verdict == Cure::Verdict::cured);
  REQUIRE(cure.protections.size() == 1);
  CHECK(cure.protections[0].barrier);
  CHECK(cure.proof.outlives);
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
  for (const Place& place : all_places(patient.kernel())) {
    const bool holds =
        prove(patient, fault, {before(place.at.offset, [](Protection& p) { p.barrier = true; })}).holds();
    CAPTURE(place.at.offset, place.text, dropped->offset);
    // Right behind where it was: from there to the read of that half.
    if (place.at.offset == dropped->offset + 4) CHECK(holds);
    if (place.at.offset < dropped->offset - 8)
      CHECK_FALSE(holds); // above the branch, or before the wait for what it wrote
    (holds ? held : refused) += 1;
  }
  CHECK(held >= 1);
  CHECK(refused > 3 * held);
}
