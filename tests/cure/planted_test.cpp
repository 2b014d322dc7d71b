// The planted faults of tests/observe, one protection left out each: the search finds it, in as many copies as it has.
#include "harness/cure/finding_cure.hpp"
#include "tests/cure/planted.hpp"
#include "tests/observe/planted_names.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

void check_cured(const char* code_object, const std::string& name) {
  CAPTURE(code_object, name);
  PlantedPatient planted(code_object, name);
  size_t cured = 0;
  for (const CuredFinding& finding : planted.cures()) {
    const Cure& cure = finding.cure;
    CAPTURE(finding.report.what, cure.proof.objection, cure.pairs, cure.executions, finding.option);
    CHECK(cure.verdict != Cure::Verdict::partly);
    CHECK(cure.verdict != Cure::Verdict::not_cured);
    CHECK(changes_in(cure.protections) <= 2);
    cured += cure.verdict == Cure::Verdict::cured;
  }
  CHECK(cured >= 1);
}

} // namespace

TEST_CASE("cure: planted faults of registers and wait states") {
  for (const char* name : planted_registers) check_cured("planted_kernels", name);
}

TEST_CASE("cure: planted faults of order") {
  for (const char* name : planted_orders) check_cured("planted_orders", name);
}

TEST_CASE("cure: planted faults of functions that a kernel calls") {
  for (const char* name : planted_calls) check_cured("planted_calls", name);
  check_cured("planted_kernels", "loaded_by_callee");
}

TEST_CASE("cure: planted faults without line information") {
  for (const char* name : planted_registers) check_cured("planted_kernels_without_lines", name);
  for (const char* name : planted_orders) check_cured("planted_orders_without_lines", name);
  for (const char* name : planted_calls) check_cured("planted_calls_without_lines", name);
}
