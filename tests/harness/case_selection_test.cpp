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

TEST_CASE("an axis replaces the key of every case, or adds it") {
  const std::vector<std::string> cases = {"batch_prefill/sq=1/sk=2/seed=9", "sparse_prefill/n=4"};
  CHECK(along(parse_axis("seed=1,2"), cases) ==
        std::vector<std::string>{"batch_prefill/sq=1/sk=2/seed=1", "batch_prefill/sq=1/sk=2/seed=2",
                                 "sparse_prefill/n=4/seed=1", "sparse_prefill/n=4/seed=2"});
}

TEST_CASE("a key is not mistaken for one that ends alike") {
  CHECK(along(parse_axis("q=fp8"), {"batch_prefill/sq=1/q=bf16"}) ==
        std::vector<std::string>{"batch_prefill/sq=1/q=fp8"});
}

TEST_CASE("what is no axis is refused") {
  for (const char* text : {"", "seed", "=1", "seed=", "sq=1,2", "trace=x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_axis(text), InvalidInput);
  }
}

TEST_CASE("axes multiply, and a value that a case does not know is that case's error") {
  CaseSelection selection;
  selection.cases = {"batch_prefill/h=1:1/sq=8/sk=64"};
  selection.axes = {"seed=1,2,3", "causal=0,1"};
  CHECK(selection.select().size() == 6);
  selection.axes = {"seed=1,x"}; // no number
  const auto selected = selection.select();
  REQUIRE(selected.size() == 2);
  CHECK(selected[0].problem);
  CHECK(selected[1].error);
}
