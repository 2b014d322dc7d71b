// The ledger of mutants: counts, the closing line, what makes a run fail, tables, and lines that come back as
// they were.
#include "harness/mutation/kernel_list.hpp"
#include "harness/mutation/ledger.hpp"
#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "harness/record/digest.hpp"
#include "interface/error.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <set>
#include <span>

using namespace fmha950;
using namespace fmha950::harness;

namespace {
LedgerEntry entry(MutantVerdict verdict, const std::string& reason) {
  return {7,
          "object/kernel",
          "kernel+0x10:vmcnt+1",
          "a.hip:3: s_waitcnt vmcnt(0)",
          {verdict, reason, "lazy", "n=1"}};
}
} // namespace

TEST_CASE("ledger: only survivors and failed controls make a run unsound") {
  Ledger ledger;
  ledger.entries = {entry(MutantVerdict::killed, "a"), entry(MutantVerdict::killed, "b"),
                    entry(MutantVerdict::equivalent, "c")};
  CHECK(ledger.sound());
  CHECK(ledger.closing_line() == "2 killed, 1 equivalent, 0 undecided, 0 survived");
  ledger.controls = {{"kernel", 20, 3, ""}};
  CHECK(ledger.sound());
  CHECK(as_table(ledger).find("unmutated  kernel: 20 schedules x 3 problems, no report\n") !=
        std::string::npos);
  CHECK(as_markdown(ledger).find("| kernel | 20 | 3 | no report |\n") != std::string::npos);
  ledger.controls.push_back({"other", 20, 1, "lds_order"});
  CHECK_FALSE(ledger.sound());
  CHECK(as_table(ledger).find("unmutated  other: 20 schedules x 1 problems, FAILED: lds_order\n") !=
        std::string::npos);
  ledger.controls.clear();
  ledger.entries.push_back(entry(MutantVerdict::survived, "d"));
  CHECK_FALSE(ledger.sound());
  CHECK(ledger.closing_line() == "2 killed, 1 equivalent, 0 undecided, 1 survived");
}

TEST_CASE("ledger: what is undecided makes no run unsound, is counted, and comes first") {
  Ledger ledger;
  ledger.entries = {entry(MutantVerdict::killed, "a"), entry(MutantVerdict::undecided, "b")};
  CHECK(ledger.sound());
  CHECK(ledger.closing_line() == "1 killed, 0 equivalent, 1 undecided, 0 survived");
  CHECK(as_table(ledger).starts_with("undecided  "));
}

TEST_CASE("ledger: a line comes back as it was, a table's cell holds one line and no bar") {
  const LedgerEntry before = entry(MutantVerdict::killed, "x | y\nz \xff");
  Ledger read;
  add_line(read, to_line(entry(MutantVerdict::killed, "x | y\nz")));
  for (int worker = 0; worker < 2; ++worker) add_line(read, to_line(Control{"prepass, probe p", 20, 1, "f"}));
  REQUIRE(read.entries.size() == 1);
  CHECK(read.controls == std::vector<Control>{{"prepass, probe p", 20, 1, "f"}});
  const LedgerEntry& after = read.entries.front();
  CHECK(to_line(before).find('\n') == std::string::npos);
  CHECK(after.number == 7);
  CHECK(after.subject == before.subject);
  CHECK(after.mutant == before.mutant);
  CHECK(after.source == before.source);
  CHECK(after.judgement.verdict == MutantVerdict::killed);
  CHECK(after.judgement.reason == "x | y\nz");
  CHECK(after.judgement.schedule == "lazy");
  CHECK(after.judgement.problem == "n=1");
  Ledger ledger;
  ledger.entries = {before};
  CHECK(as_markdown(ledger).find(
            "| kernel+0x10:vmcnt+1 | a.hip:3: s_waitcnt vmcnt(0) | killed | x \\| y | lazy |\n") !=
        std::string::npos);
}

TEST_CASE("ledger's pages: a part of the code that was judged anew leaves the rows of the rest") {
  const TemporaryFolder folder;
  const LedgerFolders folders = {folder.path() / "data", folder.path()};
  const PageCodes codes = {{"object", "1a"}, {"prepass", "2b"}};
  Ledger ledger;
  ledger.entries = {entry(MutantVerdict::killed, "a"), entry(MutantVerdict::equivalent, "b")};
  ledger.entries.push_back(
      {8, "prepass", "row_end", "p.hip: x", {MutantVerdict::killed, "c", "lazy", "n=1"}});
  ledger.controls = {{"object/kernel", 200, 3, ""}, {"prepass, probe p", 1, 1, ""}};
  save_ledger(ledger, codes, folders);
  const auto rows = ledger_rows(folders);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == LedgerRow{"object", 1, 1, 0, 0, "1a", rows[0].judged});
  CHECK(rows[1] == LedgerRow{"prepass", 1, 0, 0, 0, "2b", rows[1].judged});
  CHECK(folder.read("mutants.md").find("2 killed, 1 equivalent, 0 undecided, 0 survived\n") !=
        std::string::npos);
  CHECK(folder.read("mutants.md").find("| prepass | 1 | 0 | 0 | 0 | 2b |") != std::string::npos);
  CHECK(ledger_page("prepass", folders).controls == std::vector<Control>{{"prepass, probe p", 1, 1, ""}});
  CHECK_THROWS_WITH(ledger_page("none", folders), Catch::Contains("must be one of object, prepass"));
  CHECK(not_judged("object", "1a", folders) == "");
  CHECK(not_judged("object", "3c", folders) == "not judged: the ledger is of code 1a, this build has 3c");

  const PageCodes later = {{"object", "3c"}, {"prepass", "2b"}};
  Ledger part;
  part.entries = {entry(MutantVerdict::killed, "a")};
  save_ledger(part, later, folders);
  CHECK(folder.read("mutants.md").find("2 killed, 0 equivalent, 0 undecided, 0 survived\n") !=
        std::string::npos);
  CHECK(not_judged("object", "3c", folders) == "");
  CHECK(ledger_page("prepass", folders).entries.at(0).mutant == "row_end");

  save_ledger(part, {{"object", "3c"}}, folders); // an implementation that is gone
  CHECK(folder.read("mutants.md").find("| prepass |") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folders.data / "ledger" / "prepass.csv"));
}

TEST_CASE("ledger's file: a page comes back as it was, and what is no page is refused by line and field") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "page.csv";
  Ledger ledger;
  ledger.entries = {entry(MutantVerdict::killed, "x, \"y\"\nz"), entry(MutantVerdict::equivalent, "")};
  ledger.controls = {{"object/kernel", 20, 3, "", "1a2b"}, {"object/other", 20, 1, "lds_order"}};
  write_ledger(file, ledger);
  const Ledger read = read_ledger(file);
  CHECK(read.controls == ledger.controls);
  REQUIRE(read.entries.size() == 2);
  CHECK(read.entries[0].judgement.reason == "x, \"y\"");
  CHECK(read.entries[1].judgement.verdict == MutantVerdict::equivalent);
  ledger.entries[0].judgement.reason = "x, \"y\"";
  CHECK(as_table(read) == as_table(ledger));
  CHECK(as_markdown(read) == as_markdown(ledger));
  folder.write("page.csv", "subject,mutant,source,verdict,schedule,problem,reason\na,b,c,hurt,,,\n");
  CHECK_THROWS_WITH(read_ledger(file), Catch::Contains("page.csv:2: verdict") && Catch::Contains("hurt"));
}

TEST_CASE("the ledger of this source tree: its pages hold what its rows count, and the document shows them") {
  const LedgerFolders folders = ledger_folders();
  const std::vector<LedgerRow> rows = ledger_rows(folders);
  CHECK(rows.size() >= 42);
  for (const LedgerRow& row : rows) {
    const Ledger page = ledger_page(row.page, folders);
    INFO(row.page);
    CHECK(page.count(MutantVerdict::killed) == row.killed);
    CHECK(page.count(MutantVerdict::equivalent) == row.equivalent);
    CHECK(page.count(MutantVerdict::undecided) == row.undecided);
    CHECK(page.count(MutantVerdict::survived) == row.survived);
    CHECK(page.sound());
    for (const LedgerEntry& mutant : page.entries) CHECK(page_of(mutant.subject) == row.page);
  }
  std::ifstream document(folders.docs / "mutants.md");
  CHECK(ledger_document(rows) == std::string(std::istreambuf_iterator<char>(document), {}));
}

TEST_CASE(
    "the ledger of this source tree has a page for every code object and every list of source mutants") {
  const std::vector<LedgerRow> rows = ledger_rows(ledger_folders());
  std::set<std::string> pages;
  for (const ListedKernel& kernel : listed_kernels(kernel_list())) pages.insert(kernel.code_object);
  for (const std::string& implementation : mutated_implementations())
    if (!implementation.starts_with("sample_")) pages.insert(implementation); // variants that tests write
  CHECK(pages.size() > 70);
  for (const std::string& page : pages) {
    INFO(page);
    CHECK(std::ranges::count(rows, page, &LedgerRow::page) == 1);
  }
}

TEST_CASE("ledger's pages: code is the same wherever it was built, and other code if one instruction is") {
  std::ifstream file(std::string(CODE_OBJECTS) + "/prepass_relayout.co", std::ios::binary);
  const std::string original((std::istreambuf_iterator<char>(file)), {});
  const auto digest = [](const std::string& bytes) {
    return code_digest("prepass_relayout", std::as_bytes(std::span(bytes.data(), bytes.size())));
  };
  std::string moved = original; // its source's path, in the debug information
  const size_t path = moved.find("impl_prepass/relayout.hip");
  REQUIRE(path != std::string::npos);
  moved[path] = 'I';
  CHECK(digest(moved) == digest(original));
  std::string changed = original; // its first instruction
  Elf64_Ehdr header;
  std::memcpy(&header, original.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, original.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X)) changed[segment.p_offset] ^= 1;
  }
  REQUIRE(changed != original);
  CHECK(digest(changed) != digest(original));
}

TEST_CASE("mutation schedules: as many as asked, all different, fewer are the first of more") {
  const auto many = mutation_schedules(200), few = mutation_schedules(20);
  CHECK(many.size() == 200);
  CHECK(std::set<std::string>(many.begin(), many.end()).size() == 200);
  CHECK(std::equal(few.begin(), few.end(), many.begin()));
  CHECK(few.size() == 20);
}
