#include "harness/cases/case_selection.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <cstdlib>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// A data directory of the test's own.
struct Lists {
  Lists() {
    std::filesystem::create_directory(folder.path() / "cases");
    folder.write(
        "cases/some",
        "# a comment\n\n  batch_prefill/h=2:1/sq=1/sk=5   # behind a case\nbatch_prefill/h=2:1/sq=2/sk=5\n"
        "batch_prefill/sk=5/h=2:1/sq=1\nbatch_prefill/h=2:1/sq=3/sk=5/causal=1\r\n");
    folder.write("cases/broken", "batch_prefill/h=2:1/sq=1/sk=5\nbatch_prefill/colour=red\n");
    setenv("FMHA950_DATA", folder.path().c_str(), 1);
  }
  ~Lists() { unsetenv("FMHA950_DATA"); }
  TemporaryFolder folder;
};

std::vector<std::string> texts(const CaseSelection& selection) {
  std::vector<std::string> all;
  for (const SelectedCase& item : selection.select()) all.push_back(item.text);
  return all;
}

using Texts = std::vector<std::string>;
const std::string one = "batch_prefill/h=2:1/sq=1/sk=5/d=128", two = "batch_prefill/h=2:1/sq=2/sk=5/d=128",
                  three = "batch_prefill/h=2:1/sq=3/sk=5/d=128/causal=1";

} // namespace

TEST_CASE("a list without comments and blanks, each canonical case once, in order") {
  const Lists lists;
  CaseSelection selection;
  selection.lists = {"some"};
  CHECK(texts(selection) == Texts{one, two, three});
  selection.cases = {"batch_prefill/h=2:1/sq=2/sk=5"};
  CHECK(texts(selection) == Texts{two, one, three});
  CHECK(case_list_names() == Texts{"broken", "some"});
}

TEST_CASE("filter over canonical strings, then shard") {
  const Lists lists;
  CaseSelection selection;
  selection.lists = {"some"};
  selection.filter = "sq=[12]/";
  CHECK(texts(selection) == Texts{one, two});
  selection.shard = "2/2";
  CHECK(texts(selection) == Texts{two});
  selection.filter.clear();
  CHECK(texts(selection) == Texts{two});
  selection.shard = "1/2";
  CHECK(texts(selection) == Texts{one, three});
  for (const char* bad : {"0/2", "3/2", "1", "a/b", "1/"}) {
    selection.shard = bad;
    CHECK_THROWS_WITH(selection.select(), "shard = " + std::string(bad) + ": must be i/n with 1 <= i <= n");
  }
}

TEST_CASE("a case that does not parse stays, with the reason") {
  const Lists lists;
  CaseSelection selection;
  selection.lists = {"broken"};
  const auto selected = selection.select();
  REQUIRE(selected.size() == 2);
  CHECK_FALSE(selected[0].error);
  REQUIRE(selected[1].error);
  CHECK(selected[1].error->value == "colour");
}
