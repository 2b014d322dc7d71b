#pragma once
// Runs probes of instructions and prints what came out.

#include "harness/instruction/instruction_probe.hpp"
#include "interface/outcome.hpp"

namespace fmha950::instruction {

// Settings of the device; each must pass: both forms of MFMA arithmetic, or as it is ("").
std::vector<std::string> mfma_forms();

struct InstructionResult {
  std::vector<Measurement> measurements; // of each form that came to its end
  Outcome outcome = Outcome::failed(OutcomeKind::not_run, "not run");
};

// `inaccurate` beyond the probe's limit, `hazard` when a check of the device found something.
InstructionResult judge(const InstructionProbe& probe);

// A table with a line for each, and the closing line `N passed, N failed, N skipped`. Returns the process's
// exit code.
int run_instruction_probes(const std::vector<InstructionProbe>& probes);

} // namespace fmha950::instruction
