#pragma once
// What `perf` and `compare --perf` share.

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/commands/case_command.hpp"
#include "harness/perf/measured.hpp"
#include "harness/perf/model_run.hpp"

namespace fmha950::harness {

struct PerfOptions {
  AccuracyOptions accuracy;
  ModelOptions model;            // on the embedded device
  MeasureOptions measure;        // on a GPU
  std::string arguments() const; // what differs from the defaults, as on the command line
};

void add_options(Command command, PerfOptions& options);

// Judges the cases, and models those that pass, or on a GPU measures them: a wrong kernel's speed says
// nothing. `flag`: that asked for it, if the command alone does not. Returns the process's exit code.
int run_perf(CaseCommand& cases, const PerfOptions& options, const std::string& flag = "");

} // namespace fmha950::harness
