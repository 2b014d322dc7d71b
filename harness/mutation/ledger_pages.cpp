#include "harness/mutation/ledger_pages.hpp"

#include "harness/mutation/kernel_list.hpp"
#include "harness/mutation/ledger.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/mutation/subject.hpp"
#include "harness/output/fields.hpp"
#include "harness/record/digest.hpp"
#include "interface/code_object.hpp"
#include "interface/error.hpp"
#include "interface/installation.hpp"
#include "workload/csv_table.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <stdexcept>

namespace fmha950::harness {

std::string page_of(const std::string& subject) { return subject.substr(0, subject.find_first_of("/,")); }

std::string page_code(const std::string& page) {
  Digest digest; // `fused` is the name of both
  const auto variants = hip::code_object_variants();
  if (std::ranges::find(variants, page) != variants.end()) add_code(digest, page, hip::code_object(page));
  for (const SourceMutant& mutant : mutants_in(mutant_folder() / page))
    add_code(digest, mutant.name, code_of(mutant));
  return digest.text();
}

std::set<std::string> page_names() {
  std::set<std::string> names = mutated_implementations();
  for (auto* const subjects : {corpus_subjects, implementation_subjects})
    for (const auto& subject : subjects()) names.insert(page_of(subject->name()));
  return names;
}

std::set<std::string> pages_of_implementation(const std::string& name) {
  std::set<std::string> pages;
  if (mutated_implementations().contains(name)) pages.insert(name);
  for (const ListedKernel& kernel : all_kernels())
    if (kernel.implementation == name) pages.insert(page_of(kernel.name()));
  return pages;
}

PageCodes page_codes(const std::set<std::string>& pages) {
  PageCodes codes;
  for (const std::string& page : pages) codes[page] = page_code(page);
  return codes;
}

namespace {

constexpr const char* introduction =
    R"(# Ledger of mutants

Written by `./fmha950 probe --mutants --full`, which removes every protection of the kernels, one at a time, and sees
whether anything notices under 20 schedules. The table has a row for every code object or implementation; what became of
each of its mutants `./fmha950 probe --ledger NAME` prints (`--markdown`: as tables). All of it is data: `data/mutants/ledger/`.
Column "code" is a digest of what a device loads of the code object, or of the source mutants. Where this build has other code,
from another compiler or another source, `--ledger` says `not judged`.

With `--changed` only that is judged which does not stand. In a row of the same code a kill stands. What nothing noticed is
run on the problems that were added behind the others since, and its proof is asked for again. With `--page` only
the rows named are judged, all of them anew unless `--changed` is given as well; only their source mutants are built.
Without `--full` the same runs under 4 schedules, prints the table and exits with a code
other than 0 when a mutant survives. In CI the test "no mutant survives" does so for the corpus, impl_prepass, impl_fused,
`pipelined_f8f6f4_blockscale`, `pipelined_combine`, `baseline_fp8_blockscale_d128` and `append_bf16_d128`;
`mutants_test.cpp` of each implementation for its source mutants.

- *ISA mutants* are made by the device on the decoded kernel (docs/device.md, "ISA mutants"): of the kernels and problems
  of `data/mutants/kernels.txt`, and of the sound kernels of the corpus (`tests/corpus/corpus.cpp`).
- *Source mutants* are built from the kernels' sources with one protection compiled out (`impl_*/mutants.txt`).

An ISA mutant is **killed** when a hazard is reported that the protection prevents (a wait: a register in flight, a race
in LDS or memory; a barrier: a race or divergence; an `s_nop`: missing wait states), both parties have source lines, and
the mutated place lies between the two on a path through the code, which in a loop may lead around it. Waves have no
order among them: of a race, either party may be the one before. That groups of waves are a barrier apart at the end is a note
([hazards.md](hazards.md#barrier-divergence-barrier_divergence)) and kills no ISA mutant. A mutant of `num_records` is killed when
anything is reported, the launch faults or the accuracy rule (the corpus: the host's result) fails. A source mutant is killed when a
probe is inaccurate, faults or has a report. No kill counts where the unmutated code fails under the same schedule on the
same problem. What no schedule changes a bit of on any of its problems, without a report, where some problem comes to the
mutated place, is **equivalent** if the kernel's code proves it on all paths ([static_check.md](static_check.md): a later wait comes
before anything touches what is in flight longer; every rule of wait states is kept; other barriers keep the order of waves),
else **undecided**: the reason says what is missing, a proof or a problem that takes a path on which the code has the hazard.
`--changed` asks for proofs anew, without a run. A source mutant that nothing noticed is
equivalent if its code is the same, byte for byte, else undecided. Everything else has **survived** and fails the run, as does a
mutant that is killed although it was proved equivalent, and a control: the unmutated code with a report, with bits that depend on
the schedule, or with a wrong result. Exploration of a mutant stops at the first kill.

**Problems are found.** `./fmha950 probe --mutants --search` looks for problems that kill what the ledger holds to be undecided.
For each kernel it draws small problems near those of the list: lengths around the boundaries of tiles and pages, requests, heads,
page sizes, layouts, types, quantisations, masks. It takes only what the implementation supports and what launches this very
kernel. Each is run once with all undecided waits missing together: what nothing is reported of then kills none of them.
What is reported is judged by the rule above, mutant by mutant. A problem on which a wave takes a branch with an operation in
flight, a pair that no problem before showed, is what the next ones are drawn near to. Everything follows from `--seed` and
`--tries`. `--write` adds what was found to `data/mutants/kernels.txt`, as few problems as kill all that were killed, below a
comment with the seed. Then `--full --changed` judges what is new.

)";

std::string in_cell(std::string text) {
  text = first_line(text);
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
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

std::filesystem::path index_of(const LedgerFolders& folders) { return folders.data / "ledger.csv"; }

std::filesystem::path page_file(const std::string& page, const LedgerFolders& folders) {
  return folders.data / "ledger" / (page + ".csv");
}

LedgerRow row_of(const std::string& page, const Ledger& ledger, const std::string& code) {
  return {page,
          ledger.count(MutantVerdict::killed),
          ledger.count(MutantVerdict::equivalent),
          ledger.count(MutantVerdict::undecided),
          ledger.count(MutantVerdict::survived),
          code,
          today()};
}

std::string as_csv(const std::vector<LedgerRow>& rows) {
  std::string text = "page,killed,equivalent,undecided,survived,code,judged\n";
  for (const LedgerRow& row : rows)
    text += csv_line({row.page, std::to_string(row.killed), std::to_string(row.equivalent),
                      std::to_string(row.undecided), std::to_string(row.survived), row.code, row.judged});
  return text;
}

} // namespace

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

LedgerFolders ledger_folders() { return {project_path("data/mutants"), project_path("docs")}; }

std::vector<LedgerRow> ledger_rows(const LedgerFolders& folders) {
  std::vector<LedgerRow> rows;
  if (!std::filesystem::exists(index_of(folders))) return rows;
  const workload::CsvTable table(index_of(folders));
  for (size_t row = 0; row < table.rows(); ++row) {
    const auto count = [&](std::string_view column) {
      return static_cast<size_t>(table.integer(row, column, 0, std::numeric_limits<int32_t>::max()));
    };
    rows.push_back({table.text(row, "page"), count("killed"), count("equivalent"), count("undecided"),
                    count("survived"), table.text(row, "code"), table.text(row, "judged")});
  }
  return rows;
}

std::string ledger_document(const std::vector<LedgerRow>& rows) {
  LedgerRow sum;
  std::string table;
  for (const LedgerRow& row : rows) {
    sum.killed += row.killed;
    sum.equivalent += row.equivalent;
    sum.undecided += row.undecided;
    sum.survived += row.survived;
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.page, row.killed, row.equivalent,
                         row.undecided, row.survived, row.code, row.judged);
  }
  return introduction +
         fmt::format(
             "{} killed, {} equivalent, {} undecided, {} survived\n\n| code object or implementation | "
             "killed | equivalent | undecided | survived | code | judged |\n"
             "|---|--:|--:|--:|--:|---|---|\n{}",
             sum.killed, sum.equivalent, sum.undecided, sum.survived, table);
}

Ledger ledger_page(const std::string& page, const LedgerFolders& folders) {
  std::vector<std::string> pages;
  for (const LedgerRow& row : ledger_rows(folders)) pages.push_back(row.page);
  if (std::ranges::find(pages, page) == pages.end())
    throw InvalidInput("ledger", page, fmt::format("must be one of {}", fmt::join(pages, ", ")));
  return read_ledger(page_file(page, folders));
}

std::string not_judged(const std::string& page, const std::string& code, const LedgerFolders& folders) {
  for (const LedgerRow& row : ledger_rows(folders))
    if (row.page == page && row.code != code)
      return fmt::format("not judged: the ledger is of code {}, this build has {}", row.code, code);
  return "";
}

std::string why_not_judged(const std::string& page, const LedgerFolders& folders) {
  try {
    return not_judged(page, page_code(page), folders);
  } catch (const InvalidInput&) {
    return "";
  }
}

void save_ledger(const Ledger& ledger, const PageCodes& codes, const LedgerFolders& folders) {
  std::map<std::string, Ledger> pages;
  for (const LedgerEntry& entry : ledger.entries) pages[page_of(entry.subject)].entries.push_back(entry);
  for (const Control& control : ledger.controls) pages[page_of(control.subject)].controls.push_back(control);
  std::vector<LedgerRow> rows;
  std::map<std::string, std::string> judged; // date of each page, which stays where nothing was judged anew
  for (const LedgerRow& row : ledger_rows(folders)) {
    if (codes.contains(row.page) && !pages.contains(row.page)) rows.push_back(row);
    judged[row.page] = row.judged;
  }
  std::filesystem::create_directories(folders.data / "ledger");
  for (const auto& [page, part] : pages) {
    write_ledger(page_file(page, folders), part);
    rows.push_back(row_of(page, part, codes.at(page)));
    if (std::ranges::all_of(part.entries, &LedgerEntry::stands)) rows.back().judged = judged[page];
  }
  for (const auto& file : std::filesystem::directory_iterator(folders.data / "ledger"))
    if (!codes.contains(file.path().stem().string())) std::filesystem::remove(file.path());
  std::ranges::sort(rows, {}, &LedgerRow::page);
  write(index_of(folders), as_csv(rows));
  write(folders.docs / "mutants.md", ledger_document(rows));
}

} // namespace fmha950::harness
