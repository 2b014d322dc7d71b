// --axis: cases times values, as a user would write them.
#include "harness/cases/axis.hpp"
#include "harness/cases/case_selection.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

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
