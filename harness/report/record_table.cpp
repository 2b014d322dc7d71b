#include "harness/report/record_table.hpp"

#include "harness/report/table_layout.hpp"

#include <fmt/format.h>
#include <vector>

namespace fmha950::harness {

namespace {

// Without the implementation's name, which stands in a column of its own.
std::string short_variant(const Record& record) {
  const std::string prefix = record.resolved + "_";
  if (record.variant.empty()) return "-";
  return record.variant.starts_with(prefix) ? record.variant.substr(prefix.size()) : record.variant;
}

using Text = std::string (*)(const Record&);

// A column of a record's verdict.
template <auto of> std::string if_judged(const Record& record) {
  return record.accuracy ? of(*record.accuracy) : "-";
}

struct Column : TableColumn { // without a heading: what the clock measured
  Text text;
};

constexpr Column record_columns[] = {
    {{"impl", 14, 9}, [](const Record& record) { return record.implementation(); }},
    {{"outcome", 13, 9}, [](const Record& record) { return std::string(to_string(record.outcome.kind())); }},
    {{"p", 10, 4},
     [](const Record& record) {
       return record.probability ? p_word(*record.probability) : std::string("-");
     }},
    {{"sum", 9, 1},
     [](const Record& record) {
       return record.probability ? sum_word(*record.probability) : std::string("-");
     }},
    {{"max abs", -8, 2},
     if_judged<[](const AccuracyResult& of) { return output_figure(of.verdict, &ErrorMetrics::max_abs); }>},
    {{"rmse", -8, 7},
     if_judged<[](const AccuracyResult& of) { return output_figure(of.verdict, &ErrorMetrics::rmse); }>},
    {{"of limit", -8, 8}, if_judged<[](const AccuracyResult& of) { return of_limit(of.verdict); }>},
    {{"quant L2", -8, 3}, if_judged<[](const AccuracyResult& of) {
       return of.quantisation ? figure(of.quantisation->relative_l2) : "-";
     }>},
    {{"total L2", -8, 6},
     if_judged<[](const AccuracyResult& of) { return of.total ? figure(of.total->relative_l2) : "-"; }>},
    {{"", -8, 2},
     [](const Record& record) {
       const auto milliseconds = record.outcome.milliseconds();
       return milliseconds ? fmt::format("{:.0f}", *milliseconds) : "-";
     }},
    {{"variant", 34, 5}, short_variant},
};

std::string name_of(const Record& record) { return record.probe.empty() ? record.case_string : record.probe; }

// An embedded device's time is its own: "emul ms", never "gpu ms".
const char* heading_of(const Column& column, const Record& record) {
  if (*column.heading) return column.heading;
  return record.environment.embedded ? "emul ms" : "gpu ms";
}

// Prints a heading before the first record.
class TablePrinter : public RecordPrinter {
 public:
  explicit TablePrinter(std::FILE* out) : out_(out) {}
  void print(const Record& record) final {
    if (!heading_printed_) print_heading(record);
    heading_printed_ = true;
    print_row(record);
    std::fflush(out_);
  }

 protected:
  std::FILE* const out_;

 private:
  virtual void print_heading(const Record& first) = 0;
  virtual void print_row(const Record& record) = 0;

  bool heading_printed_ = false;
};

// Lines of a case stand below its name.
class TerminalPrinter : public TablePrinter {
  using TablePrinter::TablePrinter;

  void print_heading(const Record& first) override {
    std::vector<TableColumn> layout;
    for (const Column& column : record_columns)
      layout.push_back({heading_of(column, first), column.width, column.keep});
    layout_.emplace(out_, layout).print_heading();
  }
  void print_row(const Record& record) override {
    if (name_of(record) != name_) fmt::print(out_, "{}\n", name_of(record));
    name_ = name_of(record);
    std::vector<std::string> cells;
    for (const Column& column : record_columns) cells.push_back(column.text(record));
    layout_->print(cells, record.outcome.kind());
    layout_->print_reason(record.outcome);
  }

  std::optional<TableLayout> layout_;
  std::string name_; // of the last line's case
};

class MarkdownPrinter : public TablePrinter {
  using TablePrinter::TablePrinter;

  void print_heading(const Record& first) override {
    std::string heading = "|", rule = "|";
    for (const Column& column : record_columns) {
      heading += fmt::format(" {} |", heading_of(column, first));
      rule += column.is_figure() ? "--:|" : "---|";
    }
    fmt::print(out_, "{} case | reason |\n{}---|---|\n", heading, rule);
  }
  void print_row(const Record& record) override {
    std::string row = "|";
    for (const Column& column : record_columns) row += fmt::format(" {} |", column.text(record));
    fmt::print(out_, "{} {} | {} |\n", row, name_of(record), record.outcome.reason());
  }
};

} // namespace

std::string of_limit(const Verdict& verdict) {
  if (verdict.limits.empty() || verdict.kernel.count == 0) return "-";
  return fmt::format("{:.0f} %", 100 * largest_share(verdict.limits));
}

std::string figure(double value) { return fmt::format("{:.2e}", value); }

std::string output_figure(const Verdict& verdict, double ErrorMetrics::* metric) {
  return verdict.kernel.count == 0 ? "-" : figure(verdict.kernel.*metric);
}

std::unique_ptr<RecordPrinter> make_table_printer(std::FILE* out) {
  return std::make_unique<TerminalPrinter>(out);
}
std::unique_ptr<RecordPrinter> make_markdown_printer(std::FILE* out) {
  return std::make_unique<MarkdownPrinter>(out);
}

void AuditTable::print(const Record& record) {
  results_->print(record);
  if (!record.accuracy || record.accuracy->verdict.audit.parts == 0) return;
  const AuditVerdict& audit = record.accuracy->verdict.audit;
  fmt::print(out_,
             "  audit: {} parts of {} keys, {} failed; {} keys not audited; sigma taken up to "
             "{:.2f} times\n",
             audit.parts, audit.keys, audit.failed, audit.not_audited, audit.inflation);
  fmt::print(out_, "  {:>7} {:>10} {:>9} {:>9}  {}\n", "z", "share", "sigma", "allowed",
             "part: what it does");
  for (const Finding& finding : audit.findings)
    fmt::print(out_, "  {:>7.1f} {:>+10.4g} {:>9.2g} {:>9.2g}  {}\n", finding.z(), finding.share,
               finding.sigma, finding.allowed(), finding.text);
  std::fflush(out_);
}

} // namespace fmha950::harness
