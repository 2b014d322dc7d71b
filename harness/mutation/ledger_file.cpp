#include "harness/mutation/ledger_file.hpp"

#include "harness/output/csv_line.hpp"
#include "interface/error.hpp"
#include "workload/csv_table.hpp"

#include <fstream>
#include <limits>
#include <stdexcept>

namespace fmha950::harness {

namespace {

constexpr const char* unmutated = "unmutated"; // in place of a mutant; then schedule and problem are counts
constexpr const char* header = "subject,mutant,source,verdict,schedule,problem,reason\n";

MutantVerdict verdict_of(const workload::CsvTable& table, size_t row) {
  const std::string& word = table.text(row, "verdict");
  for (const auto verdict :
       {MutantVerdict::killed, MutantVerdict::equivalent, MutantVerdict::undecided, MutantVerdict::survived})
    if (word == name_of(verdict)) return verdict;
  throw InvalidInput(table.place(row, "verdict"), word, "must be killed, equivalent, undecided or survived");
}

} // namespace

void write_ledger(const std::filesystem::path& file, const Ledger& ledger) {
  std::ofstream out(file);
  out << header;
  for (const LedgerEntry& entry : ledger.entries) {
    const Judgement& judgement = entry.judgement;
    out << csv_line({entry.subject, entry.mutant, first_line(entry.source),
                     std::string(name_of(judgement.verdict)), judgement.schedule, judgement.problem,
                     first_line(judgement.reason)});
  }
  for (const Control& control : ledger.controls)
    out << csv_line({control.subject, unmutated, "", control.failure.empty() ? "sound" : "failed",
                     std::to_string(control.schedules), std::to_string(control.problems),
                     first_line(control.failure)});
  if (!out.flush()) throw std::runtime_error(file.string() + ": cannot be written");
}

Ledger read_ledger(const std::filesystem::path& file) {
  const workload::CsvTable table(file);
  Ledger ledger;
  for (size_t row = 0; row < table.rows(); ++row) {
    const auto count = [&](std::string_view column) {
      return static_cast<size_t>(table.integer(row, column, 0, std::numeric_limits<int32_t>::max()));
    };
    const std::string &subject = table.text(row, "subject"), &mutant = table.text(row, "mutant");
    if (mutant == unmutated)
      ledger.controls.push_back({subject, count("schedule"), count("problem"), table.text(row, "reason")});
    else
      ledger.entries.push_back({row,
                                subject,
                                mutant,
                                table.text(row, "source"),
                                {verdict_of(table, row), table.text(row, "reason"),
                                 table.text(row, "schedule"), table.text(row, "problem")}});
  }
  return ledger;
}

} // namespace fmha950::harness
