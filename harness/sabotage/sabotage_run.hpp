#pragma once
// The command `probe --sabotage`: prints entries as they come, the table and the closing line. The whole
// list's ledger is written to data/sabotage line by line; what stands there already is not run again.

#include "harness/cases/case_memory.hpp"

#include <filesystem>
#include <string>

namespace fmha950::harness {

struct SabotageCommand {
  std::string implementation = "all", filter;
  bool full = false;      // the whole list, into the ledger
  bool overwrite = false; // begin the ledger anew
  MemoryLimit memory = {};
};

std::filesystem::path sabotage_ledger_file();

// Returns the process's exit code. Throws InvalidInput for a ledger of another list, or that another
// process writes.
int run_sabotage(const SabotageCommand& command);

} // namespace fmha950::harness
