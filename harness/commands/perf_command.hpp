#pragma once
// What `perf` and `compare --perf` share.

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/commands/case_command.hpp"
#include "harness/perf/model_run.hpp"

namespace fmha950::harness {

// Judges the cases, and models those that pass: a wrong kernel's speed says nothing. Returns the process's
// exit code.
int run_perf(CaseCommand& cases, const AccuracyOptions& accuracy, const ModelOptions& model);

} // namespace fmha950::harness
