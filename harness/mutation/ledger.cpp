#include "harness/mutation/ledger.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
    const MutantVerdict verdict = entry.judgement.verdict;
    const bool is_open = verdict == MutantVerdict::survived || verdict == MutantVerdict::undecided;
    (is_open ? open : settled) += as_rows(entry);
  }
  std::string text = open + settled;
  for (const Control& control : ledger.controls)
    text += fmt::format("unmutated  {}: {} schedules x {} problems, {}\n", control.subject, control.schedules,
                        control.problems, first_line(control.result()));
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
              {"problem", judgement.problem}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_line(const Control& control) {
  return json{{"control", control.subject},
              {"schedules", control.schedules},
              {"problems", control.problems},
              {"failure", control.failure}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

void add_line(Ledger& ledger, const std::string& line) {
  const json value = json::parse(line);
  if (value.contains("control")) {
    Control control{value.at("control"), value.at("schedules"), value.at("problems"), value.at("failure")};
    if (std::ranges::find(ledger.controls, control) == ledger.controls.end())
      ledger.controls.push_back(std::move(control));
    return;
  }
  ledger.entries.push_back({value.at("number"),
                            value.at("subject"),
                            value.at("mutant"),
                            value.at("source"),
                            {static_cast<MutantVerdict>(value.at("verdict").get<int>()), value.at("reason"),
                             value.at("schedule"), value.at("problem")}});
}

} // namespace fmha950::harness
