#pragma once
// `probe --sabotage`: the judges are judged. Runs cases in which one thing is wrong on purpose (defect.hpp)
// and sees whether the verdict notices.

#include "harness/cases/case_memory.hpp"
#include "harness/sabotage/sabotage_ledger.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace fmha950::harness {

struct SabotageOptions {
  std::string list;           // of cases
  std::string implementation; // names, or all
  std::string filter;         // keeps defects in whose key this regular expression is found
  std::set<std::string> done; // keys that need not be run again
  MemoryLimit memory = {};    // of a case; NotEnoughMemory is thrown for one that needs more
};

// Calls `add` for each entry as it is made. Throws InvalidInput for a filter or list that is none, and
// std::runtime_error where an implementation fails a case without any defect: then nothing is proven.
void sabotage(const SabotageOptions& options, const std::function<void(const SabotageEntry&)>& add);

// The command `probe --sabotage`: prints entries as they come, the table and the closing line. The whole
// list's ledger is written to data/sabotage line by line; what stands there already is not run again.
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
