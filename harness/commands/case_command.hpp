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
  std::string text;
  std::string folder; // of --load, "" for a generated case
  Problem problem;
  Tensors tensors;
};

class CaseCommand {
 public:
  explicit CaseCommand(std::string name) : name_(std::move(name)) {}
  void add_options(CLI::App& command);

  // Runs one implementation on one case and fills its record. What it throws becomes the record's outcome:
  // InvalidInput invalid_input, DeviceError device_error, anything else not_run.
  struct Body {
    std::function<void(const PreparedCase&, const Implementation&, Record&)> run;
    std::function<void(const PreparedCase&)> finish; // after the last implementation; may be empty
  };
  // `per_case` makes a body for each case, with whatever its implementations share. `arguments`: what the
  // command's own options add to the line that reproduces a record. Returns the process's exit code.
  int run(const std::string& arguments, const std::function<Body(const PreparedCase&)>& per_case);

  CaseSelection selection;
  std::string implementation = "auto";
  std::vector<std::string> folders; // case folders to load
  OutputOptions output;

 private:
  std::string reproduce(const SelectedCase& item, const std::string& folder, const std::string& requested,
                        const std::string& arguments) const;
  std::string name_;
};

} // namespace fmha950::harness
