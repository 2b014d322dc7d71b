#include "harness/mutation/ledger.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace fmha950::harness {

namespace {

using nlohmann::json;

constexpr const char* introduction =
    R"(# Ledger of mutants

Written by `./fmha950 probe --mutants --full`, which removes every protection of the kernels, one at a time, and sees
whether anything notices; every mutant is in a file of its code object or implementation (`mutants/`). Without `--full` the same runs under 20 schedules instead of 200, prints the table and exits
with a code other than 0 when a mutant survives.

- *ISA mutants* are made by the device on the decoded kernel (docs/device.md, "ISA mutants"): of the kernels and problems
  of `data/mutants/kernels.txt`, and of the sound kernels of the corpus (`tests/corpus/corpus.cpp`).
- *Source mutants* are built from the kernels' sources with one protection compiled out (`impl_*/mutants.txt`).

An ISA mutant is **killed** when a hazard is reported that the protection prevents (a wait: a register in flight, a race
in LDS or memory; a barrier: a race or divergence; an `s_nop`: missing wait states), both parties have source lines, and
the mutated place lies between the two on a path through the code, which in a loop may lead around it. Waves have no
order among them: of a race, either party may be the one before. A mutant of `num_records` is killed when anything is
reported, the launch faults or the accuracy rule (the corpus: the host's result) fails. A source mutant is killed when a
probe is inaccurate, faults or has a report. No kill counts where the unmutated code fails under the same schedule on the
same problem. A mutant is **equivalent** when no schedule changes a bit of any output on any of its problems, nothing is
reported, and some problem comes to the mutated place. Everything else has **survived** and fails the run, as does a
control: the unmutated code with a report, with bits that depend on the schedule, or with a wrong result. Exploration of
a mutant stops at the first kill.

)";

// What fits a line: texts of faults have several, and those of many reports are long.
std::string first_line(const std::string& text) {
  constexpr size_t longest = 300;
  const std::string line = text.substr(0, text.find('\n'));
  return line.size() <= longest ? line : line.substr(0, longest) + " ...";
}

std::string in_cell(std::string text) {
  text = first_line(text);
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

// The code object of an ISA mutant's kernel, or the implementation.
std::string file_of(const std::string& subject) { return subject.substr(0, subject.find('/')); }

std::map<std::string, Ledger> by_subject(const Ledger& ledger) {
  std::map<std::string, Ledger> subjects;
  for (const LedgerEntry& entry : ledger.entries) subjects[entry.subject].entries.push_back(entry);
  return subjects;
}

std::string result_of(const Control& control) {
  return control.failure.empty() ? "no report" : "FAILED: " + control.failure;
}

} // namespace

size_t Ledger::count(MutantVerdict verdict) const {
  return static_cast<size_t>(std::ranges::count_if(
      entries, [&](const LedgerEntry& entry) { return entry.judgement.verdict == verdict; }));
}

bool Ledger::sound() const {
  return count(MutantVerdict::survived) == 0 &&
         std::ranges::all_of(controls, [](const Control& control) { return control.failure.empty(); });
}

std::string Ledger::closing_line() const {
  return fmt::format("{} killed, {} equivalent, {} survived", count(MutantVerdict::killed),
                     count(MutantVerdict::equivalent), count(MutantVerdict::survived));
}

std::string as_table(const Ledger& ledger) {
  std::string text;
  for (const LedgerEntry& entry : ledger.entries) {
    text += fmt::format("{:<10} {}  ({})\n", name_of(entry.judgement.verdict), entry.mutant, entry.subject);
    text += fmt::format("           {}\n           {}\n", entry.source, first_line(entry.judgement.reason));
    if (!entry.judgement.schedule.empty())
      text += fmt::format("           schedule {}, {}\n", entry.judgement.schedule, entry.judgement.problem);
  }
  for (const Control& control : ledger.controls)
    text += fmt::format("unmutated  {}: {} schedules x {} problems, {}\n", control.subject, control.schedules,
                        control.problems, first_line(result_of(control)));
  return text;
}

std::string as_markdown(const Ledger& ledger) {
  std::string text;
  std::string subject;
  for (const LedgerEntry& entry : ledger.entries) {
    if (entry.subject != subject) {
      subject = entry.subject;
      text += fmt::format("\n## {}\n\n| mutant | source | verdict | what killed it, or why not | schedule |\n"
                          "|---|---|---|---|---|\n",
                          subject);
    }
    const Judgement& judgement = entry.judgement;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", in_cell(entry.mutant), in_cell(entry.source),
                        name_of(judgement.verdict), in_cell(judgement.reason), in_cell(judgement.schedule));
  }
  return text;
}

std::string summary(const Ledger& ledger) {
  std::string text = ledger.closing_line() +
                     "\n\n| code object or implementation | kernel | killed | equivalent | "
                     "survived |\n|---|---|--:|--:|--:|\n";
  for (const auto& [subject, counted] : by_subject(ledger)) {
    const std::string file = file_of(subject);
    text += fmt::format("| [{}](mutants/{}.md) | {} | {} | {} | {} |\n", file, file,
                        subject == file ? "source" : subject.substr(file.size() + 1),
                        counted.count(MutantVerdict::killed), counted.count(MutantVerdict::equivalent),
                        counted.count(MutantVerdict::survived));
  }
  return text;
}

// The unmutated code, where mutants were judged.
std::string controls_as_markdown(const Ledger& ledger) {
  std::string text = "| subject | schedules | problems | result |\n|---|--:|--:|---|\n";
  for (const Control& control : ledger.controls)
    text += fmt::format("| {} | {} | {} | {} |\n", in_cell(control.subject), control.schedules,
                        control.problems, in_cell(result_of(control)));
  return text;
}

void save_ledger(const Ledger& ledger) {
  const std::filesystem::path docs = FMHA950_SOURCE_DIR "/docs";
  std::filesystem::create_directories(docs / "mutants");
  const auto write = [](const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
  };
  write(docs / "mutants.md",
        introduction + summary(ledger) +
            "\nThe unmutated code under the same schedules: [controls](mutants/controls.md).\n");
  write(docs / "mutants" / "controls.md",
        "# Controls: the unmutated code\n\n" + controls_as_markdown(ledger));
  std::map<std::string, Ledger> files;
  for (const LedgerEntry& entry : ledger.entries) files[file_of(entry.subject)].entries.push_back(entry);
  for (const auto& [file, part] : files)
    write(docs / "mutants" / (file + ".md"),
          fmt::format("# Mutants of {}\n\n[What the verdicts mean](../mutants.md).\n{}", file,
                      as_markdown(part)));
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
