#pragma once
// What a case takes of the host's memory, computed before anything of it is allocated, and what it may take. Everything
// is a double: products of a case's numbers need not fit an integer.

#include "interface/problem.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace fmha950::harness {

struct CaseUse {                            // what a command does with a case
  bool judged = true;                       // by the oracle; else the rows are only looked at
  int64_t oracle_rows = 0, query_tiles = 0; // as in AccuracyOptions
  bool embedded = true;                     // the device's memory is the host's
};

struct CaseMemory {     // bytes
  double inputs = 0;    // host tensors: of a sparse pool what is written, by pages of 4 KiB
  double making = 0;    // beside them while they are made or loaded
  double device = 0;    // copies of them, and outputs
  double workspace = 0; // as far as it is known before there is a plan: K and V once in 16 bits
  double results = 0;   // rows that run, brought back, as bytes and as numbers
  double oracle = 0;    // rows that are judged, sums of the audit, and the caches of append_prefill

  double total() const;
  std::string text() const; // "12.3 GiB (inputs 4.0, device 4.1, ...)"
};

// For tensors that the harness makes. The problem is valid, its trace resolved.
CaseMemory memory_of(const Problem& problem, const CaseUse& use);

// For a case folder whose arrays have so many bytes.
CaseMemory memory_of_loaded(const Problem& problem, double bytes, const CaseUse& use);

class NotEnoughMemory : public std::runtime_error { // becomes not_run
 public:
  using std::runtime_error::runtime_error;
};

// Bytes: the least of MemTotal and of the limits of the process's control groups (v1 and v2) and those above
// them. `root` is where /proc and /sys are.
double machine_memory(const std::filesystem::path& root = "/");

// How much a case may take: --memory, or three quarters of what the machine gives to this process.
struct MemoryLimit {
  double gib = 0; // 0: the default

  std::string argument() const; // as on the command line, "" for the default
  double bytes() const;
  // Throws NotEnoughMemory with the figure and the option that allows it. Plans that are made afterwards have the rest.
  void require(const CaseMemory& memory) const;
};

// Of a plan whose own memory a manifest decides: throws NotEnoughMemory if `bytes`, all that it takes so far, are more than the
// case of the last MemoryLimit::require() leaves of its limit; without one, of the default limit. `what` takes the last of them.
// Only where the device's memory is the host's: a GPU says itself what it does not have.
void require_plan_memory(const std::string& what, double bytes);

} // namespace fmha950::harness
