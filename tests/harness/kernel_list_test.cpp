// The list of kernels and problems: read, and extended by problems in the columns and the place of their kernel.
#include "harness/mutation/kernel_list.hpp"
#include "interface/error.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {
constexpr const char* list = "# a comment\n"
                             "a    object   first   case/x=1\n"
                             "a    object   first   case/x=2\n"
                             "# another\n"
                             "long object   second  case/x=3\n";
}

TEST_CASE("kernel list: kernels in order, each with its problems, and a line that is none is refused") {
  const TemporaryFolder folder;
  const auto kernels = listed_kernels(folder.write("kernels.txt", list));
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name() == "object/first");
  CHECK(kernels[0].problems == std::vector<std::string>{"case/x=1", "case/x=2"});
  CHECK(kernels[1].implementation == "long");
  CHECK_THROWS_WITH(listed_kernels(folder.write("bad.txt", "a object first\n")),
                    Catch::Contains("must be implementation, code object, kernel, problem"));
  CHECK_THROWS_WITH(
      listed_kernels(folder.write("apart.txt", std::string(list) + "a object first case/x=4\n")),
      Catch::Contains("must follow the other problems of object/first"));
}

TEST_CASE("kernel list: new problems stand behind the kernel's others, below a comment, and all else stays") {
  const TemporaryFolder folder;
  const auto file = folder.write("kernels.txt", list);
  const ListedKernel found{"a", "object", "first", {"case/x=9", "case/x=8"}};
  CHECK(lines_of(file, found) == "a    object   first   case/x=9\na    object   first   case/x=8\n");
  add_problems(file, found, "found by seed 1");
  CHECK(folder.read("kernels.txt") == "# a comment\n"
                                      "a    object   first   case/x=1\n"
                                      "a    object   first   case/x=2\n"
                                      "# found by seed 1\n"
                                      "a    object   first   case/x=9\n"
                                      "a    object   first   case/x=8\n"
                                      "# another\n"
                                      "long object   second  case/x=3\n");
  CHECK(listed_kernels(file)[0].problems.size() == 4);
  add_problems(file, {"a", "object", "third", {"case/x=7"}}, "new");
  CHECK(listed_kernels(file)[2].problems == std::vector<std::string>{"case/x=7"});
}

TEST_CASE("kernel list: a problem may say where its pools lie, and the trace's @ is no place") {
  const PlacedCase plain = placed_case("case/trace=t@0+8:8/x=1");
  CHECK(plain.text == "case/trace=t@0+8:8/x=1");
  CHECK(!plain.pools);
  const PlacedCase placed = placed_case("case/x=1!4096");
  CHECK(placed.text == "case/x=1");
  REQUIRE(placed.pools);
  CHECK(placed.pools->line == uint64_t{1} << 32);
  CHECK(placed.pools->before == 4096);
  for (const char* wrong : {"case/x=1!", "case/x=1!one", "case/x=1!-1", "case/x=1!4096 ", "case/x=1!1!2"})
    CHECK_THROWS_WITH(placed_case(wrong), Catch::Contains("must have a number of bytes behind !"));
}
