// The planted faults of tests/observe, one protection left out each: the search finds it, in as many copies as it has.
#include "harness/cure/finding_cure.hpp"
#include "tests/cure/patient_of.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

// They take one pointer, to what they write: here the first of three, whose memory is large.
Words untouched(const Words&, const CorpusProblem&) { return Words(64); }

void check_cured(const char* code_object, const char* name, size_t changes) {
  CAPTURE(name);
  TestPatient planted(kernel_of(code_object, name, 128, {{1 << 16, 2}}, untouched), "", {"eager", "lazy"});
  size_t cured = 0;
  for (const CuredFinding& finding : cure_findings(planted.patient, planted.conditions, {})) {
    const Cure& cure = finding.cure;
    CAPTURE(finding.report.what, cure.proof.objection, cure.pairs, cure.executions, cure.protections.size());
    CHECK(cure.verdict != Cure::Verdict::partly);
    CHECK(cure.verdict != Cure::Verdict::not_cured);
    CHECK(changes_in(cure.protections) <= changes);
    cured += cure.verdict == Cure::Verdict::cured;
  }
  CHECK(cured >= 1);
}

} // namespace

TEST_CASE("cure: planted faults of registers and wait states") {
  for (const char* name :
       {"one_load", "four_loads", "load_in_loop", "unrolled_by_4", "unrolled_by_8", "fully_unrolled",
        "lds_unrolled_by_4", "lds_unrolled_by_8", "pipelined", "read_in_arms", "loaded_in_arms",
        "both_counters", "scalar_load", "flat_load", "inlined_thrice", "matrix_result", "scalar_address"})
    check_cured("planted_kernels", fmt::format("{}_bad", name).c_str(), 2);
}

// Without those whose barrier is missing in each copy of an unrolled loop (docs/cures.md).
TEST_CASE("cure: planted faults of order") {
  for (const char* name : {"tile", "read_too_early", "refilled_too_early", "loaded_tile", "loaded_tile_by_4",
                           "loaded_tile_by_8", "buffers", "buffers_by_4", "read_and_refilled",
                           "no_synchronisation", "one_barrier", "two_groups", "device_tile"})
    check_cured("planted_orders", fmt::format("{}_bad", name).c_str(), 2);
}
