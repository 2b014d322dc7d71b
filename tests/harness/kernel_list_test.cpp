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
