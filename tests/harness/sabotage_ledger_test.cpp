// The saboteur's ledger: lines, counts, and a file that a run can go on with.
#include "harness/sabotage/sabotage_ledger.hpp"
#include "interface/error.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

SabotageEntry entry(const std::string& kind, SabotageVerdict verdict, double z = 12.25) {
  return {.case_string = "batch_prefill/h=2:1/sq=1/sk=32/d=64",
          .implementation = "baseline",
          .kind = kind,
          .place = "keys 0-63 of request 0, KV head 0",
          .verdict = verdict,
          .z = z,
          .seen_by = "audit",
          .reason = "audit: \"key\" 3\n\xff",
          .noticed = verdict == SabotageVerdict::caught};
}

const std::vector<std::string> cases{"batch_prefill/h=2:1/sq=1/sk=32/d=64"};

} // namespace

TEST_CASE("sabotage ledger: a line is an entry") {
  for (const SabotageVerdict verdict :
       {SabotageVerdict::caught, SabotageVerdict::missed, SabotageVerdict::below_sensitivity,
        SabotageVerdict::without_effect}) {
    SabotageEntry written = entry("v_tile_x2", verdict);
    written.reason = "audit: \"key\" 3";
    const SabotageEntry read = entry_from(to_line(written));
    CHECK(read.key() == written.key());
    CHECK(read.verdict == verdict);
    CHECK(read.z == 12.25);
    CHECK(read.seen_by == "audit");
    CHECK(read.reason == written.reason);
    CHECK(read.noticed == written.noticed);
  }
  CHECK(std::isinf(entry_from(to_line(entry("nan", SabotageVerdict::caught, INFINITY))).z));
  // One line, whatever is in it.
  CHECK(to_line(entry("v", SabotageVerdict::caught)).find('\n') == std::string::npos);
}

TEST_CASE("sabotage ledger: what tells defects apart is case, implementation, kind and place") {
  const SabotageEntry one = entry("a", SabotageVerdict::caught);
  for (std::string SabotageEntry::* part : {&SabotageEntry::case_string, &SabotageEntry::implementation,
                                            &SabotageEntry::kind, &SabotageEntry::place}) {
    SabotageEntry other = one;
    other.*part += "2";
    CHECK(other.key() != one.key());
  }
}

TEST_CASE("sabotage ledger: a kind that is not caught at one of the sizes is named") {
  const std::string small = "batch_prefill/h=1:1/sq=1/sk=1024/d=128",
                    large = "batch_prefill/h=1:1/sq=1/sk=16384/d=128";
  const auto of = [](const char* kind, SabotageVerdict verdict, const std::string& text) {
    SabotageEntry made = entry(kind, verdict, 20);
    made.case_string = text;
    return made;
  };
  SabotageLedger ledger;
  ledger.entries = {of("a", SabotageVerdict::caught, small), of("a", SabotageVerdict::without_effect, large),
                    of("b", SabotageVerdict::caught, large)};
  CHECK(ledger.kinds_never_caught() == std::vector<std::string>{"a (16384 keys)", "b (1024 keys)"});
  ledger.entries.push_back(of("a", SabotageVerdict::caught, large));
  ledger.entries.push_back(of("b", SabotageVerdict::caught, small));
  CHECK(ledger.kinds_never_caught().empty());
  // An operator of other sizes asks for kinds of its own alone, at these sizes.
  const std::string few = "merge/parts=4/h=1/n=1/d=128";
  ledger.entries.push_back(of("c", SabotageVerdict::caught, few));
  CHECK(ledger.kinds_never_caught().empty());
  ledger.entries.push_back(of("a", SabotageVerdict::without_effect, few));
  CHECK(ledger.kinds_never_caught().empty()); // none of its own
  ledger.entries.push_back(of("a", SabotageVerdict::below_sensitivity, few));
  CHECK(ledger.kinds_never_caught() == std::vector<std::string>{"a (4 keys)"});
}

TEST_CASE("sabotage ledger: the closing line and the table count verdicts") {
  SabotageLedger ledger;
  ledger.entries = {entry("a", SabotageVerdict::caught, 20),
                    entry("a", SabotageVerdict::caught, 9.5),
                    entry("a", SabotageVerdict::missed),
                    entry("b", SabotageVerdict::below_sensitivity, 3),
                    entry("b", SabotageVerdict::without_effect, 0),
                    entry("b", SabotageVerdict::below_sensitivity, 4)};
  ledger.entries[5].noticed = true;
  CHECK(ledger.closing_line() == "2 caught, 1 missed, 2 below sensitivity, 1 without effect");
  CHECK(ledger.kinds_with_fewer(4) == std::vector<std::string>{"a (3)", "b (0)"});
  CHECK(ledger.kinds_with_fewer(3) == std::vector<std::string>{"b (0)"});
  const std::string table = as_table(ledger);
  CHECK_THAT(table, Catch::Contains("\na                               2      1                 0            "
                                    "0              0          9.5\n"));
  CHECK_THAT(table, Catch::Contains("\nb                               0      0                 2            "
                                    "1              1            -\n"));
}

TEST_CASE("sabotage ledger: a run goes on where an earlier one was interrupted") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "deeper" / "ledger.jsonl"; // is made
  {
    LedgerFile file(path, "some", cases, false);
    CHECK(file.earlier().entries.empty());
    file.add(entry("a", SabotageVerdict::caught));
    file.add(entry("b", SabotageVerdict::missed));
  }
  SECTION("whole") {}
  SECTION("with a torn last line") {
    std::ofstream(path, std::ios::app) << to_line(entry("c", SabotageVerdict::caught)).substr(0, 40);
  }
  {
    LedgerFile file(path, "some", cases, false);
    REQUIRE(file.earlier().entries.size() == 2);
    CHECK(file.earlier().entries[1].kind == "b");
    file.add(entry("d", SabotageVerdict::caught));
  }
  const LedgerFile file(path, "some", cases, false); // what was torn is gone, what came after is a line
  REQUIRE(file.earlier().entries.size() == 3);
  CHECK(file.earlier().entries[2].kind == "d");
}

TEST_CASE("sabotage ledger: one of other cases is neither mixed with nor lost") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "ledger.jsonl";
  LedgerFile(path, "some", cases, false).add(entry("a", SabotageVerdict::caught));
  const std::vector<std::string> more{"batch_prefill/h=4:1/sq=1/sk=32/d=64", cases[0]}, others{more[0]};
  CHECK_THROWS_WITH(LedgerFile(path, "another", cases, false),
                    "sabotage ledger = " + path.string() +
                        ": is of another list of cases: give --overwrite to begin anew");
  CHECK_THROWS_WITH(LedgerFile(path, "some", others, false),
                    "sabotage ledger = " + path.string() + ": line 2 is of " + cases[0] +
                        ", which the list does not hold: give --overwrite to begin anew");
  CHECK(LedgerFile(path, "some", cases, false).earlier().entries.size() == 1); // still there
  CHECK(LedgerFile(path, "some", more, false).earlier().entries.size() == 1);  // the list has grown
  const std::vector<std::string> spelled{cases[0] + "/page=16"}; // the default, as a list may say
  CHECK(LedgerFile(path, "some", spelled, false).earlier().entries.size() == 1);
  CHECK(LedgerFile(path, "some", others, true).earlier().entries.empty());
  CHECK(LedgerFile(path, "some", others, false).earlier().entries.empty());
}

TEST_CASE("sabotage ledger: a path that cannot be written is named") {
  const TemporaryFolder folder;
  folder.write("file", "");
  CHECK_THROWS_WITH(LedgerFile(folder.path() / "file" / "ledger.jsonl", "some", cases, true),
                    Catch::Contains("file/ledger.jsonl: cannot be written"));
}
