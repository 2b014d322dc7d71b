#pragma once
// The output forms of the commands that run cases. Records are printed as they come.

#include "harness/output/line_file.hpp"
#include "harness/record/kept_records.hpp"
#include "harness/record/record.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness {

enum class OutputForm : uint8_t { table, csv, json, markdown };

class RecordPrinter {
 public:
  virtual ~RecordPrinter() = default;
  virtual void print(const Record& record) = 0;
  // One of the file that is not run again. Tables, which are for readers, have only what is run.
  virtual void print_kept(const nlohmann::ordered_json&) {}
  virtual void close() {} // after the last record
};
std::unique_ptr<RecordPrinter> make_printer(OutputForm form, std::FILE* out);

struct OutputOptions {
  bool csv = false, json = false, markdown = false;
  bool verbose = false;                   // tables have what is not supported, too
  bool brief = false;                     // what is not supported is counted without reasons
  std::string file;                       // JSON lines also go here
  bool resume = false, overwrite = false; // if it is not empty: go on with it, or begin it anew
  bool resumable = true;                  // the command has --resume
  OutputForm form() const;
};

// Counts outcomes and closes the output with the fixed form `N passed, N failed, N skipped`; if the run resumes,
// ` (N kept)` follows. Above that line stand the reasons why cases were skipped, and why `auto` gave cases to
// another implementation than its first choice; then the first failures with the commands that repeat them.
class Summary {
 public:
  void count(const Outcome& outcome);
  // For print(): who failed, and what repeats it.
  void list_failure(const std::string& implementation, const Outcome& outcome, const std::string& reproduce);
  void count_fallback(const std::string& fallback);               // of a record; "" is none
  void count_kept(int kept) { kept_ = kept_.value_or(0) + kept; } // of those that were counted; a run resumes
  int kept() const { return kept_.value_or(0); }
  void print(std::FILE* out, bool brief = false) const; // brief: without why cases were skipped
  int exit_code() const; // of the first kind of failure in OutcomeKind's order; 0 if nothing failed
  std::string closing_line() const;

 private:
  int passed_ = 0, failed_ = 0, skipped_ = 0;
  std::optional<int> kept_;
  std::map<OutcomeKind, int> failures_;
  std::map<std::string, int> skip_reasons_, fallbacks_;
  std::vector<std::string> failed_lines_;
  int failed_without_line_ = 0;
};

// All of it together: stdout in the chosen form, the file, the summary in its place.
class Report {
 public:
  // `table` prints the table form, if it is not the usual one. Throws InvalidInput for a file that cannot be
  // written or is not to be (line_file.hpp), and for options that do not go together.
  explicit Report(const OutputOptions& options, std::shared_ptr<RecordPrinter> table = nullptr);
  // The record of the file that stands for one that is to be made (kept_records.hpp), or null.
  const nlohmann::ordered_json* kept(const Record& to_make) const { return kept_.find(to_make); }
  void add(const Record& record);
  void add_kept(const nlohmann::ordered_json& record);
  std::FILE* text() const; // where what is no record goes: stderr if stdout holds nothing but records
  // Prints the summary and gives the process's exit code; throws when a record could not be written.
  int close();

 private:
  void note_mfma_difference(double difference, const std::string& of);

  OutputForm form_;
  const bool verbose_, brief_;
  std::shared_ptr<RecordPrinter> printer_;
  std::optional<LineFile> file_;
  KeptRecords kept_;
  Summary summary_;
  // The farthest that two forms of MFMA arithmetic came apart, and in which case.
  std::optional<double> largest_mfma_difference_;
  std::string case_of_largest_;
};

} // namespace fmha950::harness
