// Probes of instructions pass with their kernels, and fail with each kernel that has one protection less.
#include "harness/device/variation.hpp"
#include "harness/instruction/instruction_probe.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/probe.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::instruction;

namespace {

std::vector<InstructionProbe> probes(const std::string& filter, const char* checks) {
  harness::apply({.schedule = "", .threads = "", .mfma = "", .check = checks});
  return harness::select_probes(all_instruction_probes(), filter);
}

// A mutant without num_records is a warning besides, which must not hide that its results are wrong.
// The first that fails of those whose kernels are in the code object `probe_FAMILY`.
std::optional<Outcome> first_failure(const std::string& code_object) {
  for (const InstructionProbe& probe :
       probes("^" + code_object.substr(std::string("probe_").size()) + "/", "errors"))
    if (const Outcome outcome = judge(probe).outcome; outcome.is_failure()) return outcome;
  return std::nullopt;
}

void require_killed(const std::string& code_object) {
  int mutants = 0;
  for (const harness::SourceMutant& mutant : harness::mutants_in(PROBE_MUTANTS)) {
    if (mutant.code_object != code_object) continue;
    ++mutants;
    INFO(mutant.name << ": " << mutant.consequence);
    const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
    const auto failure = first_failure(code_object);
    REQUIRE(failure);
    INFO(failure->reason());
    CHECK(failure->kind() == (mutant.name == "arrived" ? OutcomeKind::hazard : OutcomeKind::inaccurate));
  }
  CHECK(mutants >= 2);
}

} // namespace

TEST_CASE("tiles and LDS DMA are what the facts say") {
  for (const InstructionProbe& probe : probes("^(mfma_tile|lds_dma)/", "all")) {
    const InstructionResult result = judge(probe);
    INFO(probe.name << ": " << result.outcome.reason());
    CHECK(result.outcome.kind() == OutcomeKind::passed);
    REQUIRE(result.measurements.size() == 2); // forms of MFMA arithmetic
    // A tile is measured, and not trivial: its sums round.
    if (probe.name.starts_with("mfma_tile/")) {
      CHECK(result.measurements[0].error > 0);
    }
  }
}

TEST_CASE("a tile fails with any of its kernel's protections removed") { require_killed("probe_mfma_tile"); }

TEST_CASE("the layout of LDS DMA fails with any of its kernel's protections removed") {
  require_killed("probe_lds_dma");
}

TEST_CASE("the sweep of scale operands fails with any of its kernel's protections removed", "[slow]") {
  require_killed("probe_scale_operand");
}
