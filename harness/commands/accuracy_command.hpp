#pragma once
// Judges every selected case; returns the process's exit code. What `accuracy` and `demo` share.

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/commands/case_command.hpp"

namespace fmha950::harness {

int run_accuracy(CaseCommand& cases, const AccuracyOptions& options);

} // namespace fmha950::harness
