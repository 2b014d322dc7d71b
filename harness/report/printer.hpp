#pragma once
// The output forms of the commands that run cases. Records are printed as they come.

#include "harness/report/record.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace fmha950::harness {

enum class OutputForm : uint8_t { table, csv, json, markdown };

class RecordPrinter {
 public:
  virtual ~RecordPrinter() = default;
  virtual void print(const Record& record) = 0;
  virtual void close() {} // after the last record
};
// The largest share of a limit that the kernel's error takes: "80 %", "-" without limits.
std::string of_limit(const std::vector<Limit>& limits);
std::unique_ptr<RecordPrinter> make_printer(OutputForm form, std::FILE* out);

struct OutputOptions {
  bool csv = false, json = false, markdown = false;
  std::string file; // JSON lines also go here
  void add_options(CLI::App& command);
  OutputForm form() const;
};

// Counts outcomes and closes the output with the fixed form `N passed, N failed, N skipped`, under the
// reasons of what was skipped and of what `auto` gave to another than its first choice.
class Summary {
 public:
  void count(const Outcome& outcome);
  void count_fallback(const std::string& fallback); // of a record; "" is none
  void print(std::FILE* out) const;
  int exit_code() const; // of the first kind of failure in OutcomeKind's order; 0 if nothing failed
  std::string closing_line() const;

 private:
  int passed_ = 0, failed_ = 0, skipped_ = 0;
  std::map<OutcomeKind, int> failures_;
  std::map<std::string, int> skip_reasons_, fallbacks_;
};

// All of it together: stdout in the chosen form, the file, the summary in its place.
class Report {
 public:
  // `table` prints the table form, if it is not the usual one. Throws InvalidInput if the file cannot be
  // written.
  explicit Report(const OutputOptions& options, std::shared_ptr<RecordPrinter> table = nullptr);
  void add(const Record& record);
  std::FILE* text() const; // where what is no record goes: stderr if stdout holds nothing but records
  int close(); // prints the summary and gives the process's exit code; throws when a record could not be
               // written

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  OutputForm form_;
  std::shared_ptr<RecordPrinter> printer_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::unique_ptr<RecordPrinter> file_printer_;
  Summary summary_;
  // The farthest that two forms of MFMA arithmetic came apart, and in which case.
  std::optional<double> largest_mfma_difference_;
  std::string case_of_largest_;
};

} // namespace fmha950::harness
