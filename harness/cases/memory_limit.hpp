#pragma once
// How much memory a case may take: --memory, or three quarters of what the machine gives to this process.

#include "harness/cases/case_memory.hpp"

#include <filesystem>
#include <stdexcept>

namespace fmha950::harness {

class NotEnoughMemory : public std::runtime_error { // becomes not_run
 public:
  using std::runtime_error::runtime_error;
};

// Bytes: the least of MemTotal and of the limits of the process's control groups (v1 and v2) and those above
// them. `root` is where /proc and /sys are.
double machine_memory(const std::filesystem::path& root = "/");

struct MemoryLimit {
  double gib = 0; // 0: the default

  std::string argument() const; // as on the command line, "" for the default
  double bytes() const;
  // Throws NotEnoughMemory with the figure and the option that allows it.
  void require(const CaseMemory& memory) const;
};

} // namespace fmha950::harness
