// Limits are those of a kernel, whatever the number of its findings.
#include "harness/cure/allowance.hpp"
#include "harness/cure/finding_cure.hpp"
#include "tests/cure/patient_of.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

Words sum_by_index(const Words& in, const CorpusProblem&) {
  Words out(64);
  for (size_t i = 0; i < 64; ++i) out[i] = in[i] + 1 + in[in[i]];
  return out;
}

TestPatient several_findings() {
  return TestPatient(kernel_of("cure_kernels", "hidden_by_fault", 64, {{128, 1}}, sum_by_index));
}

size_t executions_of(const std::vector<CuredFinding>& findings) {
  size_t sum = 0;
  for (const CuredFinding& finding : findings) sum += finding.cure.executions;
  return sum;
}

} // namespace

TEST_CASE("cure: all findings of a kernel share one limit, and what it leaves out says so") {
  auto of = several_findings();
  const size_t needed = executions_of(cure_findings(of.patient, of.conditions, {}));
  REQUIRE(of.conditions.size() + needed <= of.patient.executions());
  auto again = several_findings();
  SearchLimits limits;
  limits.executions = needed / 2;
  size_t told = 0, most = 0;
  limits.go_on = [&](const SoFar& so_far) {
    told = std::max(told, so_far.executions); // of all findings
    most = so_far.most_executions;
    return true;
  };
  const auto findings = cure_findings(again.patient, again.conditions, limits);
  CHECK(findings.size() >= 2);
  CHECK(std::ranges::any_of(findings, [](const CuredFinding& each) { return each.cure.limited; }));
  CHECK(std::ranges::any_of(
      findings, [](const CuredFinding& each) { return each.cure.verdict != Cure::Verdict::cured; }));
  // A proof that has begun is ended: two runs of each condition, once.
  CHECK(again.patient.executions() <= of.conditions.size() + limits.executions + 2 * of.conditions.size());
  CHECK(most == limits.executions);
  CHECK(told + 1 >= limits.executions);
}

TEST_CASE("cure: without an allowance findings are told, and nothing is tried") {
  auto of = several_findings();
  SearchLimits limits;
  limits.seconds = 0;
  const auto findings = cure_findings(of.patient, of.conditions, limits);
  REQUIRE_FALSE(findings.empty());
  for (const CuredFinding& finding : findings) {
    CHECK(finding.cure.verdict == Cure::Verdict::not_cured);
    CHECK(finding.cure.limited);
    CHECK(finding.cure.executions == 0);
  }
  CHECK(of.patient.executions() == of.conditions.size());
}

TEST_CASE("cure: an interruption in a later finding leaves what was found of those before") {
  auto of = several_findings();
  SearchLimits limits;
  size_t last = 0; // when it asked whether to go on
  limits.go_on = [&](const SoFar& so_far) {
    last = so_far.executions;
    return true;
  };
  const auto all = cure_findings(of.patient, of.conditions, limits);
  const auto cured_of = [](const std::vector<CuredFinding>& findings) {
    return std::ranges::count_if(
        findings, [](const CuredFinding& each) { return each.cure.verdict == Cure::Verdict::cured; });
  };
  auto again = several_findings();
  limits.go_on = [&](const SoFar& so_far) { return so_far.executions < last; };
  const auto cut = cure_findings(again.patient, again.conditions, limits);
  CHECK(is_interrupted(cut));
  CHECK_FALSE(is_interrupted(all));
  CHECK(cut.size() >= 2);
  CHECK(cured_of(cut) >= 1);
}

TEST_CASE("cure: an allowance counts from its begin on") {
  auto of = several_findings();
  (void)of.fault();
  SearchLimits limits;
  limits.executions = 2;
  const Allowance allowance(of.patient, limits);
  CHECK(allowance.left(3).executions == 2);
  CHECK(allowance.left(3).findings == 3);
  CHECK_FALSE(allowance.is_spent());
  for (const char* schedule : {"random:7,random:7", "random:8,random:8", "random:9,random:9"})
    of.patient.observe({schedule, 0}, "", Trust::all);
  CHECK(allowance.left(1).executions == 0);
  CHECK(allowance.is_spent());
}

TEST_CASE("cure: what has a cure looks for a cheaper one within its share of the kernel's executions alone") {
  const auto lost_barrier = [] {
    return TestPatient(kernel_of("cure_kernels", "refilled", 128, {{512, 1}, {128, 1}}, summed_reversed));
  };
  SearchLimits limits;
  const Cure alone = lost_barrier().cure(limits);
  REQUIRE(alone.verdict == Cure::Verdict::cured);
  limits.findings = static_cast<size_t>(limits.executions); // a share of one
  const Cure one_of_many = lost_barrier().cure(limits);
  CHECK(one_of_many.verdict == Cure::Verdict::cured); // until there is one all may be taken
  CHECK_FALSE(one_of_many.limited);
  CHECK(one_of_many.executions < alone.executions);
}
