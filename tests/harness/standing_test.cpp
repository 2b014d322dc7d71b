// What of the ledger stands: only judgements of the same code, on the first of the problems that are listed now.
#include "harness/mutation/standing.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

class Listed final : public Subject {
 public:
  explicit Listed(std::vector<std::string> problems) : problems_(std::move(problems)) {}
  std::string name() const override { return "object/kernel"; }
  hip::Kernel kernel() const override { return {}; }
  size_t problems() const override { return problems_.size(); }
  std::string problem(size_t index) const override { return problems_[index]; }
  Outputs run(size_t) override { return {}; }
  std::string wrong(size_t, const Outputs&) override { return ""; }
  void renew() override {}

 private:
  std::vector<std::string> problems_;
};

struct Saved {
  explicit Saved(const std::string& failure = "") {
    Ledger ledger;
    ledger.entries = {
        {0, "object/kernel", "kernel+0x10:vmcnt+1", "a.hip:3", {MutantVerdict::killed, "a", "", ""}},
        {1, "fused", "bound", "x: breaks", {MutantVerdict::killed, "b", "", ""}},
        {2, "fused", "bound", "y: breaks", {MutantVerdict::undecided, "c", "", ""}}};
    const Listed judged({"p", "q"});
    ledger.controls = {{"object/kernel", 20, 2, failure, problems_digest(judged, 2)},
                       {"fused, probe p", 1, 1, ""}};
    save_ledger(ledger, codes, folders);
  }
  Standing standing(const PageCodes& now) const { return Standing(now, folders); }
  const TemporaryFolder folder;
  const LedgerFolders folders = {folder.path() / "data", folder.path()};
  const PageCodes codes = {{"object", "1a"}, {"fused", "2b"}};
};

} // namespace

TEST_CASE("standing: judgements stand on the problems they were made on, which are the first") {
  const Saved saved;
  const Standing standing = saved.standing(saved.codes);
  CHECK(standing.problems_judged(Listed({"p", "q"})) == 2);
  CHECK(standing.problems_judged(Listed({"p", "q", "new"})) == 2);
  CHECK(standing.problems_judged(Listed({"p", "other"})) == 0);
  CHECK(standing.problems_judged(Listed({"new", "p", "q"})) == 0);
  CHECK(standing.problems_judged(Listed({"p"})) == 0);
  CHECK(standing.control(Listed({"p", "q"})).has_value());
  CHECK_FALSE(standing.control(Listed({"p", "q", "new"})).has_value());
  REQUIRE(standing.of_isa_mutant("object/kernel", "kernel+0x10:vmcnt+1"));
  CHECK(standing.of_isa_mutant("object/kernel", "kernel+0x10:vmcnt+1")->verdict == MutantVerdict::killed);
  CHECK(standing.of_isa_mutant("object/kernel", "kernel+0x14:vmcnt+1") == nullptr);
}

TEST_CASE("standing: source mutants of one name are told apart by their code object") {
  const Saved saved;
  const Standing standing = saved.standing(saved.codes);
  CHECK(standing.of_source_mutant("fused", "bound", "x")->judgement.verdict == MutantVerdict::killed);
  CHECK(standing.of_source_mutant("fused", "bound", "y")->judgement.verdict == MutantVerdict::undecided);
  CHECK(standing.of_source_mutant("fused", "bound", "z") == nullptr);
  CHECK(standing.controls("fused").size() == 1);
}

TEST_CASE("standing: nothing stands of other code, or where the control had failed") {
  const Saved saved;
  const Standing other = saved.standing({{"object", "9f"}, {"fused", "2b"}});
  CHECK(other.problems_judged(Listed({"p", "q"})) == 0);
  CHECK(other.of_isa_mutant("object/kernel", "kernel+0x10:vmcnt+1") == nullptr);
  CHECK(other.of_source_mutant("fused", "bound", "x") != nullptr);
  const Saved failed("lds_order");
  CHECK(failed.standing(failed.codes).problems_judged(Listed({"p", "q"})) == 0);
  CHECK(Standing().problems_judged(Listed({"p", "q"})) == 0);
}

TEST_CASE("standing: a page on which nothing was judged anew keeps its date, and is not printed") {
  const Saved saved;
  Ledger again;
  again.entries = {{0, "object/kernel", "m", "s", {MutantVerdict::killed, "a", "", ""}, true}};
  again.controls = {{"object/kernel", 20, 2, "", "digest", true}};
  CHECK(as_table(again).empty());
  std::string index = saved.folder.read("data/ledger.csv");
  const size_t date = index.rfind("object,");
  index.replace(index.find('\n', date) - 10, 10, "2001-02-03");
  saved.folder.write("data/ledger.csv", index);
  save_ledger(again, saved.codes, saved.folders);
  CHECK(saved.folder.read("data/ledger.csv").find("object,1,0,0,0,1a,2001-02-03\n") != std::string::npos);
  again.entries[0].stands = false;
  save_ledger(again, saved.codes, saved.folders);
  CHECK(saved.folder.read("data/ledger.csv").find("2001-02-03") == std::string::npos);
}
