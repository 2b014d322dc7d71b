#include "harness/mutation/ledger_pages.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace fmha950::harness {

namespace {

constexpr const char* introduction =
    R"(# Ledger of mutants

Written by `./fmha950 probe --mutants --full`, which removes every protection of the kernels, one at a time, under 200
schedules, and sees whether anything notices; every mutant is on the page of its code object or implementation
(`mutants/`). With `--changed` only pages of other code than the table's column "code" are made anew (a digest of what a device loads
of the code object, of the problems and of the source mutants), with `--page` only those named. Without `--full` the same runs under
20 schedules, prints the table and exits with a code other than 0 when a mutant survives. In CI the test "no mutant
survives" does so for the corpus, impl_prepass, impl_fused, `pipelined_f8f6f4_blockscale`, `pipelined_combine`,
`baseline_fp8_blockscale_d128` and `append_bf16_d128`; `mutants_test.cpp` of each implementation for its source mutants.

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

std::string in_cell(std::string text) {
  text = first_line(text);
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::map<std::string, Ledger> by_subject(const Ledger& ledger) {
  std::map<std::string, Ledger> subjects;
  for (const LedgerEntry& entry : ledger.entries) subjects[entry.subject].entries.push_back(entry);
  return subjects;
}

std::string text_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}",
                     std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

} // namespace

std::vector<LedgerRow> rows_of(const Ledger& ledger, const PageCodes& codes, const std::string& date) {
  std::vector<LedgerRow> rows;
  for (const auto& [subject, counted] : by_subject(ledger)) {
    const std::string page = page_of(subject);
    rows.push_back({page, subject == page ? "source" : subject.substr(page.size() + 1),
                    counted.count(MutantVerdict::killed), counted.count(MutantVerdict::equivalent),
                    counted.count(MutantVerdict::survived), codes.at(page), date});
  }
  return rows;
}

std::string summary(const std::vector<LedgerRow>& rows) {
  size_t killed = 0, equivalent = 0, survived = 0;
  std::string table;
  for (const LedgerRow& row : rows) {
    killed += row.killed;
    equivalent += row.equivalent;
    survived += row.survived;
    table += fmt::format("| [{0}](mutants/{0}.md) | {1} | {2} | {3} | {4} | {5} | {6} |\n", row.page,
                         row.kernel, row.killed, row.equivalent, row.survived, row.code, row.judged);
  }
  return fmt::format(
      "{} killed, {} equivalent, {} survived\n\n| code object or implementation | kernel | killed | "
      "equivalent | survived | code | judged |\n|---|---|--:|--:|--:|---|---|\n{}",
      killed, equivalent, survived, table);
}

std::vector<LedgerRow> read_rows(const std::string& markdown) {
  std::vector<LedgerRow> rows;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| [")) continue;
    const size_t end_of_page = line.find(']');
    std::istringstream cells(line.substr(line.find('|', 1) + 1));
    LedgerRow row;
    row.page = line.substr(3, end_of_page - 3);
    char bar;
    if (!(cells >> row.kernel >> bar >> row.killed >> bar >> row.equivalent >> bar >> row.survived)) continue;
    if (!(cells >> bar >> row.code >> bar >> row.judged)) row.code = row.judged = "-"; // unknown
    rows.push_back(row);
  }
  return rows;
}

std::string as_markdown(const Ledger& page) {
  std::string text;
  std::string subject;
  for (const LedgerEntry& entry : page.entries) {
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
  text += "\n## Unmutated\n\n| subject | schedules | problems | result |\n|---|--:|--:|---|\n";
  for (const Control& control : page.controls)
    text += fmt::format("| {} | {} | {} | {} |\n", in_cell(control.subject), control.schedules,
                        control.problems, in_cell(control.result()));
  return text;
}

std::filesystem::path ledger_folder() { return FMHA950_SOURCE_DIR "/docs"; }

std::set<std::string> changed_pages(const PageCodes& codes, const std::filesystem::path& docs) {
  PageCodes judged;
  for (const LedgerRow& row : read_rows(text_in(docs / "mutants.md"))) judged[row.page] = row.code;
  std::set<std::string> changed;
  for (const auto& [page, code] : codes)
    if (const auto row = judged.find(page); row == judged.end() || row->second != code) changed.insert(page);
  return changed;
}

void save_ledger(const Ledger& ledger, const PageCodes& codes, const std::filesystem::path& docs) {
  std::map<std::string, Ledger> pages;
  for (const LedgerEntry& entry : ledger.entries) pages[page_of(entry.subject)].entries.push_back(entry);
  for (const Control& control : ledger.controls) pages[page_of(control.subject)].controls.push_back(control);
  std::vector<LedgerRow> rows = rows_of(ledger, codes, today());
  for (const LedgerRow& row : read_rows(text_in(docs / "mutants.md")))
    if (codes.contains(row.page) && !pages.contains(row.page)) rows.push_back(row);
  std::ranges::sort(rows, {}, [](const LedgerRow& row) { return std::pair(row.page, row.kernel); });
  std::filesystem::create_directories(docs / "mutants");
  for (const auto& [page, part] : pages)
    write(docs / "mutants" / (page + ".md"),
          fmt::format("# Mutants of {}\n\n[What the verdicts mean](../mutants.md).\n{}", page,
                      as_markdown(part)));
  for (const auto& file : std::filesystem::directory_iterator(docs / "mutants"))
    if (!codes.contains(file.path().stem().string())) std::filesystem::remove(file.path());
  write(docs / "mutants.md", introduction + summary(rows));
}

} // namespace fmha950::harness
