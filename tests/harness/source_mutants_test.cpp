// Lists of source mutants: whose kernels a mutant is of stands in the list, not in the code object's name.
#include "harness/mutation/source_mutants.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

struct Lists { // of implementations, each with a file for its mutant
  TemporaryFolder folder;

  void add(const std::string& implementation, const std::string& list) const {
    std::filesystem::create_directories(folder.path() / implementation / "page_rows");
    folder.write(implementation + "/mutants.txt", list);
    folder.write(implementation + "/page_rows/made.co", "code");
  }
};

} // namespace

TEST_CASE("a mutant is of the operator whose line stands before it, whatever its code object is called") {
  const Lists lists;
  lists.add("some",
            "operator sparse_prefill\nmade page_rows all\noperator append_prefill\nmade page_rows all\n");
  const auto mutants = source_mutants(lists.folder.path());
  REQUIRE(mutants.size() == 2);
  const Problem sparse = parse_case("sparse_prefill/h=16/n=1/pool=8/chunk=8/scale=1/kv=fp8"),
                append = parse_case("append_prefill/h=8:1/sq=1/sk=1"),
                paged = parse_case("batch_prefill/h=8:1/sq=1/sk=1");
  CHECK(concerns(mutants[0], sparse));
  CHECK(concerns(mutants[1], append));
  CHECK_FALSE(concerns(mutants[0], append));
  CHECK_FALSE(concerns(mutants[0], paged));
  CHECK_FALSE(concerns(mutants[1], paged));
}

TEST_CASE("a list of an implementation names an operator, and one that there is") {
  const Lists none;
  none.add("some", "made page_rows all\n");
  CHECK_THROWS_AS(source_mutants(none.folder.path()), InvalidInput);
  CHECK(mutants_in(none.folder.path() / "some")
            .at(0)
            .op.empty()); // kernels of no operator: harness/instruction
  const Lists unknown;
  unknown.add("some", "operator page_prefill\nmade page_rows all\n");
  CHECK_THROWS_AS(source_mutants(unknown.folder.path()), InvalidInput);
}
