// What the search finds for kernels that lack one protection, and what it must not find.
#include "harness/cure/all_paths.hpp"
#include "harness/cure/finding_cure.hpp"
#include "harness/cure/younger_operations.hpp"
#include "tests/cure/patient_of.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

Words reversed(const Words& in, const CorpusProblem&) {
  Words out(128);
  for (size_t i = 0; i < 128; ++i) out[i] = in[127 - i];
  return out;
}
Words sum_by_index(const Words& in, const CorpusProblem&) {
  Words out(64);
  for (size_t i = 0; i < 64; ++i) out[i] = in[i] + 1 + in[in[i]];
  return out;
}
Words same(const Words& in, const CorpusProblem&) { return {in.begin(), in.begin() + 64}; }
Words copied_twice(const Words& in, const CorpusProblem&) {
  Words out(129, 1);
  for (size_t i = 0; i < 128; ++i) out[i] = in[i % 64];
  return out;
}
Words ones_and_same(const Words& in, const CorpusProblem&) {
  Words out(128, 1);
  for (size_t i = 0; i < 64; ++i) out[64 + i] = in[i];
  return out;
}
Words ones(const Words&, const CorpusProblem&) { return Words(128, 1); }

TestPatient patient_of(const char* name, uint32_t threads, std::vector<CorpusProblem> problems,
                       Words (*expected)(const Words&, const CorpusProblem&), const std::string& base = "") {
  return TestPatient(kernel_of("cure_kernels", name, threads, std::move(problems), expected), base);
}

void check_one_place(const Cure& cure, const std::string& text) {
  CAPTURE(cure.proof.objection);
  REQUIRE(cure.verdict == Cure::Verdict::cured);
  REQUIRE(cure.protections.size() == 1);
  CHECK(cure.protections.front().text() == text);
  CHECK(cure.proof.holds());
  CHECK(cure.proof.runs >= 8);
  CHECK(cure.paths.is_new == 0);
  CHECK(cure.executions <= 200);
}

} // namespace

TEST_CASE("cure: a wait that is not there is put before what needs it") {
  auto late = patient_of("late_wait", 64, {{128, 1}}, plus_one);
  const Cure cure = late.cure();
  check_one_place(cure, "s_waitcnt vmcnt(0)");
  CHECK_FALSE(cure.protections.front().tightens);
  CHECK(cure.protections.front().instruction.starts_with("v_add_u32"));
  CHECK(cure.paths.gone == 1);
}

TEST_CASE("cure: a wait that is too loose is tightened, by no more than it must be") {
  const Cure cure = patient_of("loose_wait", 64, {{128, 1}}, pair_plus_one).cure();
  check_one_place(cure, "s_waitcnt vmcnt(1)");
  CHECK(cure.protections.front().tightens);
}

TEST_CASE("cure: what is enough on one way only is no cure, though no run takes the other") {
  const Cure both = patient_of("two_ways", 64, {{130, 1}, {131, 1}}, plus_one).cure();
  check_one_place(both, "s_waitcnt vmcnt(0)");
  // The code knows of the other way.
  const Cure even_alone = patient_of("two_ways", 64, {{130, 1}}, plus_one).cure();
  check_one_place(even_alone, "s_waitcnt vmcnt(0)");
}

TEST_CASE("cure: a wait before a barrier counts on what follows the operation on every way") {
  // No run takes the way of odd n, on which nothing follows the DMA.
  const Cure cure = patient_of("dma_on_two_ways", 128, {{128, 1}}, reversed).cure();
  check_one_place(cure, "s_waitcnt vmcnt(0)");
  auto two = patient_of("dma_on_two_ways", 128, {{128, 1}, {129, 1}}, reversed);
  std::vector<Protection> looser = cure.protections;
  looser.front().vmcnt = 1;
  const Fault fault = two.fault();
  const auto says = [](const Cure& of) { return of.verdict == Cure::Verdict::cured; };
  CHECK(says(cure));
  CHECK(screen(two.patient, fault, cure.protections, two.conditions).clean());
  CHECK_FALSE(screen(two.patient, fault, looser, two.conditions).clean()); // where odd n is run
  YoungerOperations younger(two.patient, fault);
  CHECK(younger.too_few(cure.protections).empty());
  CHECK(younger.too_few(looser).find("some way has but 0 younger ones") != std::string::npos);
  CHECK(cure.counts.find("some way has but 0 younger ones") != std::string::npos);
}

TEST_CASE("cure: the code does not decide whether all waves come to a barrier behind a branch") {
  auto late = patient_of("late_wait", 64, {{128, 1}}, plus_one);
  PathCheck check(late.patient);
  Protection barrier = late.cure().protections.front(); // its place
  barrier.vmcnt.reset();
  barrier.barrier = true;
  const AllPaths passed_by_all = check.of({barrier});
  CHECK(passed_by_all.barriers_behind_branches == 0);
  barrier.branches = 1;
  const AllPaths behind_one = check.of({barrier});
  CHECK(behind_one.unknown == passed_by_all.unknown + 1);
  CHECK(behind_one.text().find("1 of them a barrier behind a branch") != std::string::npos);
  CHECK(passed_by_all.text().find("barrier") == std::string::npos);
}

TEST_CASE(
    "cure: a finding that others' changes silence in these runs gets its own where another path shows it") {
  auto hidden = patient_of("hidden_on_one_way", 64, {{128, 1}}, plus_one);
  const auto findings = cure_findings(hidden.patient, hidden.conditions, {});
  REQUIRE(findings.size() == 2);
  for (const CuredFinding& finding : findings) {
    CAPTURE(finding.report.what, finding.cure.proof.objection);
    CHECK(finding.cure.verdict == Cure::Verdict::cured);
    CHECK_FALSE(finding.option.empty());
  }
  auto odd = patient_of("hidden_on_one_way", 64, {{129, 1}}, plus_one, hidden.patient.base());
  CHECK(odd.fault().errors.empty());
}

TEST_CASE("cure: a flag that is set too early gets the wait before its store") {
  const Cure cure = patient_of("flag_without_wait", 128, {{128, 1}}, ones_and_same).cure();
  check_one_place(cure, "s_waitcnt vmcnt(0)");
  CHECK(cure.protections.front().instruction.starts_with("ds_write_b32"));
}

TEST_CASE("cure: a loop that refills LDS gets a barrier, and each wave's reads are over by then") {
  const Cure cure = patient_of("refilled", 128, {{512, 1}, {128, 1}}, summed_reversed).cure();
  CAPTURE(cure.proof.objection);
  REQUIRE(cure.verdict == Cure::Verdict::cured);
  REQUIRE(cure.protections.size() == 1);
  CHECK(cure.protections.front().barrier);
}

TEST_CASE("cure: LDS DMA is waited for before the barrier that is there") {
  const Cure cure = patient_of("dma_without_wait", 128, {{128, 1}}, reversed).cure();
  check_one_place(cure, "s_waitcnt vmcnt(0)");
}

TEST_CASE("cure: wait states are as many as are missing") {
  const Cure cure = patient_of("early_result", 64, {{64, 1}}, same).cure();
  check_one_place(cure, "s_nop 7");
}

TEST_CASE("cure: two faults at once take two places, and neither can go") {
  auto two = patient_of("two_faults", 64, {{128, 1}}, pair_plus_one);
  const Cure cure = two.cure();
  CAPTURE(cure.proof.objection);
  REQUIRE(cure.verdict == Cure::Verdict::cured);
  REQUIRE(cure.protections.size() == 2);
  const Fault fault = two.fault();
  for (size_t i = 0; i < 2; ++i)
    CHECK_FALSE(screen(two.patient, fault, {cure.protections[i]}, two.conditions).clean());
}

TEST_CASE("cure: a finding that is hidden by the fault of another is cured once that one is") {
  auto hidden = patient_of("hidden_by_fault", 64, {{128, 1}}, sum_by_index);
  const auto findings = cure_findings(hidden.patient, hidden.conditions, {});
  REQUIRE(findings.size() >= 2);
  size_t with_a_change = 0;
  for (const CuredFinding& finding : findings) {
    CAPTURE(finding.report.what, finding.cure.proof.objection);
    CHECK(finding.cure.verdict == Cure::Verdict::cured);
    with_a_change += !finding.option.empty();
  }
  CHECK(with_a_change == 2);
  // By itself the one that comes first has no cure: the kernel still faults.
  hidden.patient.set_base("");
  const auto alone = faults_of(hidden.patient, hidden.conditions);
  CHECK(find_cure(hidden.patient, alone.front(), {}).verdict != Cure::Verdict::cured);
}

TEST_CASE("cure: what was run is not run again") {
  auto late = patient_of("late_wait", 64, {{128, 1}}, plus_one);
  const Fault fault = late.fault();
  const size_t runs = late.patient.executions();
  CHECK(runs == late.conditions.size());
  CHECK(late.fault().errors == fault.errors);
  CHECK(late.patient.executions() == runs);
  const Cure cure = find_cure(late.patient, fault, {});
  REQUIRE(cure.verdict == Cure::Verdict::cured);
  const size_t all = late.patient.executions();
  CHECK(prove(late.patient, fault, cure.protections).holds());
  CHECK(late.patient.executions() == all);
}

TEST_CASE("cure: two waves that store different bytes by one instruction are not cured") {
  const Cure cure = patient_of("two_writers", 128, {{128, 1}}, ones).cure();
  CHECK(cure.verdict != Cure::Verdict::cured);
  CHECK(cure.protections.empty());
}

TEST_CASE("cure: an order between workgroups is none that a wave's instructions make") {
  auto polled = patient_of("polled_flag", 64, {{128, 2}}, copied_twice);
  const Fault fault = polled.fault();
  REQUIRE_FALSE(fault.errors.empty());
  const Cure cure = find_cure(polled.patient, fault, {});
  CHECK(cure.verdict != Cure::Verdict::cured);
  CHECK(cure.protections.empty());
}

TEST_CASE("cure: of the places for a barrier one that costs little is taken") {
  const auto subjects = corpus_subjects();
  const auto subject =
      std::ranges::find_if(subjects, [](const auto& each) { return each->name().ends_with("/histogram"); });
  REQUIRE(subject != subjects.end());
  set_judging_options(isa_budget);
  size_t cured = 0;
  for (const Mutant& mutant : mutants_of((*subject)->kernel())) {
    if (mutant.change != "barrier-drop") continue;
    SubjectPatient patient(**subject, (*subject)->kernel(), mutant.id);
    const Fault fault = fault_of(patient, {{"eager", 0}, {"lazy", 0}});
    if (fault.errors.empty()) continue;
    const Cure cure = find_cure(patient, fault, {});
    CAPTURE(mutant.id, cure.proof.objection);
    REQUIRE(cure.verdict == Cure::Verdict::cured);
    CHECK(cure.clocks_cured <= 1.01 * patient.clocks(fault.showing().front().problem, ""));
    ++cured;
  }
  CHECK(cured > 0);
}

TEST_CASE("cure: limits end the search, and it says so") {
  auto refilled = patient_of("refilled", 128, {{512, 1}}, summed_reversed);
  SearchLimits limits;
  limits.executions = 0;
  const Cure cure = refilled.cure(limits);
  CHECK(cure.verdict == Cure::Verdict::not_cured);
  CHECK(cure.limited);
}

TEST_CASE("cure: a kernel without a fault costs the runs that looked for one") {
  auto cured = patient_of("late_wait", 64, {{128, 1}}, plus_one);
  const Cure cure = cured.cure();
  REQUIRE(cure.verdict == Cure::Verdict::cured);
  auto healthy =
      patient_of("late_wait", 64, {{128, 1}}, plus_one, changes("late_wait", "", cure.protections));
  CHECK(healthy.fault().errors.empty());
  CHECK(healthy.patient.executions() == healthy.conditions.size());
}
