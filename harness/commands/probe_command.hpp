#pragma once
// What `probe` was asked for, and what it does by it.

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/cases/case_memory.hpp"
#include "harness/commands/case_loop.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/mutation/search_run.hpp"
#include "harness/probe/probe.hpp"
#include "harness/report/printer.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace fmha950::harness {

struct ProbeState {
  std::string implementation = "auto", filter, schedules, check, stop, mutant;
  uint64_t seed = 1;
  bool list = false, table = false, mutants = false, sabotage = false, full = false, changed = false,
       search = false, write = false;
  size_t tries = SearchOptions().tries;
  std::vector<std::string> pages;
  std::string ledger;
  AccuracyOptions options;
  ExternalOption external;
  MemoryLimit memory_limit;
  OutputOptions output;

  bool probes_instructions() const { return options.variations.mfma == std::vector<std::string>{""}; }

  std::string arguments() const { // as on the command line, but for those that select
    std::string text = check.empty() ? "" : " --check " + check;
    if (!mutant.empty()) text += " --mutant " + mutant;
    if (!options.variations.mfma.empty())
      text += fmt::format(" --mfma {}", fmt::join(options.variations.mfma, ","));
    return text;
  }
};

// With the accuracy rule, or under schedules, in `loop` (probe_cases.cpp). They return the exit code, as all of these do.
int run_probes(const ProbeState& state, CaseLoop loop, const std::vector<Probe>& probes);
int sweep_probes(const ProbeState& state, CaseLoop loop, const std::vector<Probe>& probes);

// Mutants and their ledger (probe_mutants.cpp).
int run_mutants(const ProbeState& state);
int run_search(const ProbeState& state);
int print_ledger(const ProbeState& state);

} // namespace fmha950::harness
