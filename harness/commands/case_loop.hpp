#pragma once
// The loop over things to run and implementations to run them on, with records and progress: what all
// commands that run cases share.

#include "harness/cases/case_memory.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/report/printer.hpp"
#include "interface/tensors.hpp"

#include <functional>

namespace fmha950::harness {

struct PreparedCase {
  Problem problem;
  Tensors tensors;
};

// One thing to run. A broken one becomes a failed record and does not stop the others.
struct CaseItem {
  std::string text;     // names it in records, as far as it is known before it is loaded
  std::string argument; // stands for it on the command line
  std::string probe;    // its name, if it is a probe
  std::function<Problem()> problem;
  // Both called only for an implementation that supports the problem and has no record of it yet; the tensors
  // only if the memory is there.
  std::function<Tensors(const Problem&)> tensors;
  std::function<CaseMemory(const Problem&, const CaseUse&)> memory = memory_of;
  std::string digest = {}; // of what else decides the result: the files of a case folder
};

// Of each case: in a process of its own (harness/isolation/case_process.hpp)?
struct Isolation {
  bool on = false;
  double seconds = 0; // that a record may take; 0: by the case's size
  size_t runs = 1;    // of the device for a record
};

// What a command does with one case: runs an implementation and fills its record. What `run` throws becomes
// the record's outcome (harness/record/guarded.cpp).
struct CaseBody {
  std::function<void(const PreparedCase&, const Implementation&, Record&)> run;
  std::function<void(const PreparedCase&)> finish; // after the last implementation; may be empty
};

struct CaseLoop {
  std::string command;
  std::string implementation; // names separated by commas, all, or auto
  std::string arguments;      // what the command's own options add to the line that reproduces a record
  std::string digest = {};    // of the files that they name
  OutputOptions output;
  MemoryLimit memory_limit = {};
  Isolation isolation = {};
  CaseUse use = {};                               // of the rows of a case; the device in use is filled in
  bool stop_at_failure = false;                   // at the first; the rest is neither run nor counted
  std::function<void(std::FILE*)> epilogue = {};  // prints what comes between the records and the summary
  std::shared_ptr<RecordPrinter> table = nullptr; // prints the table form; null: the usual one

  // `body_for` makes a body for each item (by its index), with whatever its implementations share; the case
  // outlives it. Tensors are validated before, their values too. Returns the process's exit code: 128 and the
  // signal's number if one ended the run.
  int run(const std::vector<CaseItem>& items,
          const std::function<CaseBody(size_t, const PreparedCase&)>& body_for) const;
};

} // namespace fmha950::harness
