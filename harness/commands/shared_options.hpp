#pragma once
// Options that several commands have. What an option sets belongs to a part of the harness, and that part knows no
// command line.

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/cases/case_memory.hpp"
#include "harness/cases/case_selection.hpp"
#include "harness/commands/command_line.hpp"
#include "harness/external/external_implementation.hpp"
#include "harness/perf/measured.hpp"
#include "harness/perf/model_run.hpp"
#include "harness/report/printer.hpp"

namespace fmha950::harness {

void add_options(Command command, CaseSelection& selection);
void add_options(Command command, MemoryLimit& limit);
Option add_file_option(Command command, const char* name, std::string& file,
                       const std::string& help); // to write
void add_options(Command command, OutputOptions& output);
void add_options(Command command, AccuracyOptions& accuracy);
void add_options(Command command, ModelOptions& model);
void add_options(Command command, MeasureOptions& measure);
// Implementations of the user (docs/your_kernel.md).
class ExternalOption {
 public:
  void add(Command command);
  // Registers them, before implementations are looked for by name. Throws InvalidInput.
  void use() const { external::register_external(folders_); }
  // Likewise. If one of them is among `implementations`, all run as hardware would run them, under these checks, unless the
  // environment says otherwise: a kernel of others may rely on latency, and what is right by luck is no result.
  void use(const std::string& implementations, const char* check) const;

 private:
  std::vector<std::string> folders_;
};

Option add_assume_option(Command command,
                         std::vector<std::string>& assumptions); // words that the model knows

} // namespace fmha950::harness
