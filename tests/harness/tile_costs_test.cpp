// analysis/tile_costs.py: instructions per tile from two traces.
#include "python.hpp"
#include "tests/support/temporary_folder.hpp"

#include <vector>

namespace {

// A wave of one workgroup, one interval: `products` matrix instructions and two of the VALU.
std::string line(int products, const std::string& unit = "matrix") {
  return R"({"kernel":"k","launch":0,"workgroup":0,"wave":0,"interval":0,"unit":")" + unit +
         R"(","instructions":)" + std::to_string(products) + R"(,"clocks":64})" + "\n";
}

Finished tile_costs(const std::string& more, const std::string& fewer, int tiles) {
  const TemporaryFolder folder;
  const std::filesystem::path path(folder.path());
  std::ofstream(path / "more") << more;
  std::ofstream(path / "fewer") << fewer;
  return analysis("tile_costs.py " + quoted(path / "more") + " " + quoted(path / "fewer") + " --tiles " +
                  std::to_string(tiles));
}

std::vector<std::string> lines_of(const Finished& finished) {
  std::istringstream text(finished.output);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

} // namespace

TEST_CASE("tile_costs: what a workgroup does once cancels out, the rest is by tile") {
  const Finished ran = tile_costs(line(100) + line(7, "valu"), line(20) + line(7, "valu"), 10);
  CHECK(ran.status == 0);
  const auto out = lines_of(ran);
  REQUIRE(out.size() == 3);
  CHECK_THAT(out[0], Catch::StartsWith("| kernel | matrix | valu |"));
  CHECK_THAT(out[2], Catch::StartsWith("| k | 8 | 0 |"));
}

TEST_CASE("tile_costs: two runs in one file and files that are no traces are refused by name") {
  const Finished twice = tile_costs(line(100) + line(100), line(20), 10);
  CHECK(twice.status != 0);
  CHECK_THAT(lines_of(twice).at(0), Catch::Contains("more than one run of k"));
  const Finished broken = tile_costs("{", line(20), 10);
  CHECK(broken.status != 0);
  REQUIRE(lines_of(broken).size() == 1); // no traceback
  CHECK_THAT(lines_of(broken)[0], Catch::StartsWith("tile_costs.py:"));
}
