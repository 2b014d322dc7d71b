#pragma once
// What the commands that run cases share: which cases, which implementations, the loop over both, records and
// progress.

#include "harness/cases/case_selection.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/report/printer.hpp"
#include "interface/tensors.hpp"

#include <functional>

namespace fmha950::harness {

struct PreparedCase {
  Problem problem;
  Tensors tensors;
};

// What a command does with one case: runs an implementation and fills its record. What `run` throws becomes
// the record's outcome: InvalidInput invalid_input, DeviceError device_error, anything else not_run.
struct CaseBody {
  std::function<void(const PreparedCase&, const Implementation&, Record&)> run;
  std::function<void(const PreparedCase&)> finish; // after the last implementation; may be empty
};

class CaseCommand {
 public:
  explicit CaseCommand(std::string name) : name_(std::move(name)) {}
  void add_options(CLI::App& command);

  // `body_for` makes a body for each case, with whatever its implementations share; the case outlives it.
  // `arguments`: what the command's own options add to the line that reproduces a record. Returns the
  // process's exit code.
  int run(const std::string& arguments, const std::function<CaseBody(const PreparedCase&)>& body_for);

  CaseSelection selection;
  std::string implementation = "auto";
  std::vector<std::string> folders; // case folders to load
  OutputOptions output;

 private:
  std::string name_;
};

} // namespace fmha950::harness
