// analysis/tile_costs.py: instructions per tile from two traces.
#include "program.hpp"

#include <catch2/catch.hpp>
#include <numeric>

namespace {

// A wave of one workgroup, one interval: `products` matrix instructions and two of the VALU.
std::string line(int products, const std::string& unit = "matrix") {
  return R"({"kernel":"k","launch":0,"workgroup":0,"wave":0,"interval":0,"unit":")" + unit +
         R"(","instructions":)" + std::to_string(products) + R"(,"clocks":64})" + "\n";
}

Ran tile_costs(const std::string& more, const std::string& fewer, int tiles) {
  const TemporaryFolder folder;
  const std::string path = folder.path();
  std::ofstream(path + "/more") << more;
  std::ofstream(path + "/fewer") << fewer;
  const int status =
      std::system(("/usr/bin/python3 -B " FMHA950_SOURCE_DIR "/analysis/tile_costs.py " + path + "/more " +
                   path + "/fewer --tiles " + std::to_string(tiles) + " >" + path + "/out 2>" + path + "/err")
                      .c_str());
  std::ifstream out(path + "/out"), err(path + "/err");
  return {WEXITSTATUS(status), lines_of(out), lines_of(err)};
}

} // namespace

TEST_CASE("tile_costs: what a workgroup does once cancels out, the rest is by tile") {
  const Ran ran = tile_costs(line(100) + line(7, "valu"), line(20) + line(7, "valu"), 10);
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 3);
  CHECK_THAT(ran.out[0], Catch::StartsWith("| kernel | matrix | valu |"));
  CHECK_THAT(ran.out[2], Catch::StartsWith("| k | 8 | 0 |"));
}

TEST_CASE("tile_costs: two runs in one file and files that are no traces are refused by name") {
  const Ran twice = tile_costs(line(100) + line(100), line(20), 10);
  CHECK(twice.exit_code != 0);
  CHECK_THAT(twice.err.at(0), Catch::Contains("more than one run of k"));
  const Ran broken = tile_costs("{", line(20), 10);
  CHECK(broken.exit_code != 0);
  REQUIRE(broken.err.size() == 1); // no traceback
  CHECK_THAT(broken.err[0], Catch::StartsWith("tile_costs.py:"));
}
