#include "harness/report/printer.hpp"

#include "harness/output/fields.hpp"
#include "harness/record/record.hpp"
#include "harness/report/record_table.hpp"
#include "harness/report/terminal.hpp"
#include "interface/error.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace fmha950::harness {

namespace {

constexpr size_t most_failed_lines = 10;

std::string json_line(const nlohmann::ordered_json& record) {
  return record.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

class JsonPrinter : public RecordPrinter {
 public:
  explicit JsonPrinter(std::FILE* out) : out_(out) {}
  void print(const Record& record) override { print_kept(to_json(record)); }
  void print_kept(const nlohmann::ordered_json& record) override {
    fmt::print(out_, "{}\n", json_line(record));
    std::fflush(out_); // a run that is interrupted keeps what it has
  }

 private:
  std::FILE* out_;
};

class CsvPrinter : public RecordPrinter {
 public:
  explicit CsvPrinter(std::FILE* out) : out_(out) {}
  void print(const Record& record) override { print_kept(to_json(record)); }
  void print_kept(const nlohmann::ordered_json& record) override {
    const auto columns = flatten(record);
    if (!header_printed_) line(columns, [](const auto& column) { return column.first; });
    header_printed_ = true;
    line(columns, [](const auto& column) { return column.second; });
  }

 private:
  template <class Columns, class Field> void line(const Columns& columns, Field field) {
    std::vector<std::string> fields;
    for (const auto& column : columns) fields.push_back(field(column));
    fmt::print(out_, "{}", csv_line(std::move(fields)));
    std::fflush(out_);
  }
  std::FILE* out_;
  bool header_printed_ = false;
};

} // namespace

std::unique_ptr<RecordPrinter> make_printer(OutputForm form, std::FILE* out) {
  switch (form) {
  case OutputForm::csv: return std::make_unique<CsvPrinter>(out);
  case OutputForm::json: return std::make_unique<JsonPrinter>(out);
  case OutputForm::markdown: return make_markdown_printer(out);
  case OutputForm::table: break;
  }
  return make_table_printer(out);
}

OutputForm OutputOptions::form() const {
  return csv        ? OutputForm::csv
         : json     ? OutputForm::json
         : markdown ? OutputForm::markdown
                    : OutputForm::table;
}

void Summary::count(const Outcome& outcome) {
  if (outcome.kind() == OutcomeKind::passed) ++passed_;
  if (outcome.kind() == OutcomeKind::unsupported) {
    ++skipped_;
    ++skip_reasons_[outcome.reason()];
  }
  if (outcome.is_failure()) {
    ++failed_;
    ++failures_[outcome.kind()];
  }
}

void Summary::list_failure(const std::string& implementation, const Outcome& outcome,
                           const std::string& reproduce) {
  if (failed_lines_.size() == most_failed_lines) {
    ++failed_without_line_;
    return;
  }
  failed_lines_.push_back(fmt::format("failed: {} {}: {}\n    {}", implementation, to_string(outcome.kind()),
                                      outcome.reason(), reproduce));
}

void Summary::count_fallback(const std::string& fallback) {
  if (!fallback.empty()) ++fallbacks_[fallback];
}

std::string Summary::closing_line() const {
  return fmt::format("{} passed, {} failed, {} skipped{}", passed_, failed_, skipped_,
                     kept_ ? fmt::format(" ({} kept)", *kept_) : "");
}

void Summary::print(std::FILE* out, bool brief) const {
  for (const auto& [reason, count] : fallbacks_)
    print_result_line(out, fmt::format("fell back {}: {}", count, reason));
  if (brief && skipped_ > 0)
    print_result_line(
        out, fmt::format("skipped {}: not supported; `./fmha950 list --why CASE` says why", skipped_));
  if (!brief)
    for (const auto& [reason, count] : skip_reasons_)
      print_result_line(out, fmt::format("skipped {}: {}", count, reason));
  for (const std::string& line : failed_lines_) fmt::print(out, "{}\n", line);
  if (failed_without_line_ > 0) fmt::print(out, "failed: {} more\n", failed_without_line_);
  fmt::print(out, "{}\n", closing_line());
}

int Summary::exit_code() const {
  return failures_.empty() ? 0 : fmha950::exit_code(failures_.begin()->first);
}

Report::Report(const OutputOptions& options, std::shared_ptr<RecordPrinter> table)
    : form_(options.form()), verbose_(options.verbose), brief_(options.brief) {
  const bool sets_records_side_by_side = table != nullptr && form_ == OutputForm::table;
  printer_ = sets_records_side_by_side ? std::move(table) : make_printer(form_, stdout);
  if (options.file.empty()) {
    if (options.resume || options.overwrite)
      throw InvalidInput(
          "output", "",
          fmt::format("must be a file where --{} is given", options.resume ? "resume" : "overwrite"));
    return;
  }
  if (options.resume && sets_records_side_by_side)
    throw InvalidInput("resume", options.file,
                       "is not for this command's table, which compares the records of a run and would lack "
                       "those that are kept: add --json or --csv, whose output has all of them");
  file_.emplace("output", options.file,
                options.resume      ? ExistingLines::keep
                : options.overwrite ? ExistingLines::replace
                                    : ExistingLines::refuse);
  if (!options.resume) return;
  kept_ = KeptRecords("output", options.file, file_->kept());
  summary_.count_kept(0);
}

void Report::note_mfma_difference(double difference, const std::string& of) {
  if (largest_mfma_difference_ && difference <= *largest_mfma_difference_) return;
  largest_mfma_difference_ = difference;
  case_of_largest_ = of;
}

void Report::add(const Record& record) {
  if (file_) file_->add(json_line(to_json(record)));
  const bool for_readers = form_ == OutputForm::table || form_ == OutputForm::markdown;
  if (!for_readers || verbose_ || record.outcome.kind() != OutcomeKind::unsupported) printer_->print(record);
  summary_.count(record.outcome);
  if (record.outcome.is_failure())
    summary_.list_failure(record.implementation(), record.outcome,
                          record.reproduce.empty() ? record.case_string : record.reproduce);
  summary_.count_fallback(record.fallback);
  if (record.accuracy && record.accuracy->mfma_difference)
    note_mfma_difference(*record.accuracy->mfma_difference,
                         record.probe.empty() ? record.case_string : record.probe);
}

void Report::add_kept(const nlohmann::ordered_json& record) {
  printer_->print_kept(record);
  summary_.count(outcome_of(record));
  summary_.count_kept(1);
  const auto text = [&](const char* key) {
    return record.contains(key) && record[key].is_string() ? record[key].get<std::string>() : "";
  };
  summary_.count_fallback(text("fallback"));
  if (const Outcome outcome = outcome_of(record); outcome.is_failure())
    summary_.list_failure(text("resolved").empty() ? text("requested") : text("resolved"), outcome,
                          text("reproduce"));
  const auto difference = record.value("/accuracy/mfma_difference"_json_pointer, nlohmann::ordered_json());
  if (difference.is_number())
    note_mfma_difference(difference.get<double>(), text("probe").empty() ? text("case") : text("probe"));
}

std::FILE* Report::text() const {
  const bool records_only = form_ == OutputForm::csv || form_ == OutputForm::json;
  return records_only ? stderr : stdout;
}

int Report::close() {
  std::FILE* const out = text();
  printer_->close();
  if (largest_mfma_difference_)
    print_result_line(out,
                      fmt::format("largest difference between the forms of MFMA arithmetic: {:.2e} in {}",
                                  *largest_mfma_difference_, case_of_largest_));
  if (const size_t others = kept_.count() - static_cast<size_t>(summary_.kept()); others > 0)
    fmt::print(stderr, "records of other cases or options, which stay in the file and do not count: {}\n",
               others);
  summary_.print(out, brief_);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::runtime_error(fmt::format("results could not be written in full: {}", std::strerror(errno)));
  return summary_.exit_code();
}

} // namespace fmha950::harness
