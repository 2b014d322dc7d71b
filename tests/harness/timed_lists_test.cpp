// A part of every case list under the schedule `timed`: the bits are those of `eager`.
#include "harness/cases/case_selection.hpp"
#include "program.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace fmha950;

namespace {

// A fortieth of it, at least two cases where it has them.
std::string part_of(const std::string& list) {
  const size_t parts = std::clamp<size_t>(harness::read_case_list(list).size() / 2, 1, 40);
  return fmt::format("--list {} --shard {}/{}", list, (parts + 1) / 2, parts);
}

// By every implementation that takes a case; how many results there are.
size_t check_same_bits(const std::string& list) {
  const Ran ran = run_fmha950(
      fmt::format("accuracy {} --impl all --json --schedules eager,timed --oracle-rows 32 --query-tiles 2",
                  part_of(list)));
  CHECK(ran.exit_code == 0);
  size_t results = 0;
  for (const std::string& line : ran.out) {
    const auto record = nlohmann::json::parse(line);
    if (record["outcome"] == "unsupported") continue;
    CAPTURE(record["case"], record["reason"], record["reproduce"]);
    CHECK(record["outcome"] == "passed");
    const auto& variations = record["variations"];
    REQUIRE(variations.size() == 2);
    CHECK(variations[1]["schedule"] == "timed");
    CHECK(variations[1]["identical"] == true);
    ++results;
  }
  return results;
}

} // namespace

TEST_CASE("every case list: a part of it is accurate under timed, with the bits of eager", "[slow]") {
  const std::vector<std::string> lists = harness::case_list_names();
  REQUIRE_FALSE(lists.empty());
  for (const std::string& list : lists) {
    CAPTURE(list);
    CHECK(check_same_bits(list) > 0);
  }
}
