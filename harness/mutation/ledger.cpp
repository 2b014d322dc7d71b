#include "harness/mutation/ledger.hpp"

#include "harness/output/fields.hpp"
#include "interface/error.hpp"
#include "workload/csv_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace fmha950::harness {

using nlohmann::json;

std::string first_line(const std::string& text) {
  constexpr size_t longest = 300;
  const std::string line = text.substr(0, text.find('\n'));
  return line.size() <= longest ? line : line.substr(0, longest) + " ...";
}

std::string Control::result() const { return failure.empty() ? "no report" : "FAILED: " + failure; }

size_t Ledger::count(MutantVerdict verdict) const {
  return static_cast<size_t>(std::ranges::count_if(
      entries, [&](const LedgerEntry& entry) { return entry.judgement.verdict == verdict; }));
}

bool Ledger::sound() const {
  return count(MutantVerdict::survived) == 0 &&
         std::ranges::all_of(controls, [](const Control& control) { return control.failure.empty(); });
}

std::string Ledger::closing_line() const {
  return fmt::format("{} killed, {} equivalent, {} undecided, {} survived", count(MutantVerdict::killed),
                     count(MutantVerdict::equivalent), count(MutantVerdict::undecided),
                     count(MutantVerdict::survived));
}

namespace {

std::string as_rows(const LedgerEntry& entry) {
  std::string text =
      fmt::format("{:<10} {}  ({})\n", name_of(entry.judgement.verdict), entry.mutant, entry.subject);
  text += fmt::format("           {}\n           {}\n", entry.source, first_line(entry.judgement.reason));
  if (!entry.judgement.schedule.empty())
    text += fmt::format("           schedule {}, {}\n", entry.judgement.schedule, entry.judgement.problem);
  return text;
}

} // namespace

// What is open first.
std::string as_table(const Ledger& ledger) {
  std::string open, settled;
  for (const LedgerEntry& entry : ledger.entries) {
    if (entry.stands) continue;
    const MutantVerdict verdict = entry.judgement.verdict;
    const bool is_open = verdict == MutantVerdict::survived || verdict == MutantVerdict::undecided;
    (is_open ? open : settled) += as_rows(entry);
  }
  std::string text = open + settled;
  for (const Control& control : ledger.controls)
    if (!control.stands)
      text += fmt::format("unmutated  {}: {} schedules x {} problems, {}\n", control.subject,
                          control.schedules, control.problems, first_line(control.result()));
  return text;
}

std::string to_line(const LedgerEntry& entry) {
  const Judgement& judgement = entry.judgement;
  return json{{"number", entry.number},
              {"subject", entry.subject},
              {"mutant", entry.mutant},
              {"source", entry.source},
              {"verdict", static_cast<int>(judgement.verdict)},
              {"reason", judgement.reason},
              {"schedule", judgement.schedule},
              {"problem", judgement.problem},
              {"stands", entry.stands}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_line(const Control& control) {
  return json{{"control", control.subject},
              {"schedules", control.schedules},
              {"problems", control.problems},
              {"failure", control.failure},
              {"problems_digest", control.problems_digest},
              {"stands", control.stands}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

void add_line(Ledger& ledger, const std::string& line) {
  const json value = json::parse(line);
  if (value.contains("control")) {
    Control control{value.at("control"), value.at("schedules"),       value.at("problems"),
                    value.at("failure"), value.at("problems_digest"), value.at("stands")};
    if (std::ranges::find(ledger.controls, control) == ledger.controls.end())
      ledger.controls.push_back(std::move(control));
    return;
  }
  ledger.entries.push_back({value.at("number"),
                            value.at("subject"),
                            value.at("mutant"),
                            value.at("source"),
                            {static_cast<MutantVerdict>(value.at("verdict").get<int>()), value.at("reason"),
                             value.at("schedule"), value.at("problem")},
                            value.at("stands")});
}

namespace {

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
    out << csv_line({control.subject, unmutated, control.problems_digest,
                     control.failure.empty() ? "sound" : "failed", std::to_string(control.schedules),
                     std::to_string(control.problems), first_line(control.failure)});
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
      ledger.controls.push_back({subject, count("schedule"), count("problem"), table.text(row, "reason"),
                                 table.text(row, "source")});
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
