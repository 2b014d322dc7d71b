#pragma once
// What the commands that run case strings and case folders share: which cases, which implementations.

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/cases/case_selection.hpp"
#include "harness/commands/case_loop.hpp"
#include "harness/commands/command_line.hpp"
#include "harness/commands/shared_options.hpp"

namespace fmha950::harness {

class CaseCommand {
 public:
  explicit CaseCommand(std::string name) : name_(std::move(name)) {}
  void add_options(Command command);
  // For what needs all results of a case in one process. Throws InvalidInput if --isolate was given.
  void keep_together(const std::string& reason);

  // Runs the selected cases (case_loop.hpp). `arguments`: what the command's own options add to the line that
  // reproduces a record. `digest`: that of the files that these options name. Returns the process's exit code.
  int run(const std::string& arguments, const std::string& digest, const CaseUse& use,
          const std::function<CaseBody(const PreparedCase&)>& body_for);

  CaseSelection selection;
  std::string implementation = "auto";
  std::vector<std::string> folders; // case folders to load
  ExternalOption external;
  OutputOptions output;
  MemoryLimit memory_limit;
  size_t runs = 1;                      // of the device, for a record
  std::shared_ptr<RecordPrinter> table; // prints the table form; null: the usual one

 private:
  std::vector<CaseItem> items() const;
  Isolation isolation() const;
  std::string name_;
  bool isolate_ = false, together_ = false;
  double case_seconds_ = 0;
};

// Judges every selected case; returns the process's exit code. What `accuracy` and `demo` share.
int run_accuracy(CaseCommand& cases, const AccuracyOptions& options);

} // namespace fmha950::harness
