// `fmha950 trace`: what the waves of a workgroup execute between their barriers.
#include "harness/output/line_file.hpp"
#include "program.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace {

// Two waves' worth of rows in one workgroup; five tiles of 64 keys.
const std::string text = "batch_prefill/h=8:1/sq=32/sk=300/d=128/q=fp8/kv=fp8/quant=tensor/page=16";

std::vector<nlohmann::json> traced(const std::string& arguments) {
  const Ran ran = run_fmha950("trace " + text + " " + arguments);
  REQUIRE(ran.exit_code == 0);
  REQUIRE(ran.err.size() == 1);
  CHECK_THAT(ran.err[0], Catch::Contains("modelled"));
  std::vector<nlohmann::json> lines;
  for (const std::string& line : ran.out) lines.push_back(nlohmann::json::parse(line));
  REQUIRE_FALSE(lines.empty());
  return lines;
}

} // namespace

TEST_CASE(
    "trace: every wave of the pipelined kernel meets the barriers of all, and each computes every tile") {
  std::map<int, std::map<std::string, int>> instructions; // by wave and unit
  std::map<int, int> last_interval;
  for (const auto& line : traced("--impl pipelined")) {
    CHECK(line["kernel"] == "prefill_scattered");
    CHECK(line["workgroup"] == 0);
    instructions[line["wave"]][line["unit"]] += line["instructions"].get<int>();
    last_interval[line["wave"]] = line["interval"];
    if (line["unit"] == "matrix") CHECK(line["clocks"] == 64 * line["instructions"].get<int>());
  }
  REQUIRE(instructions.size() == 8);
  for (const auto& [wave, of_unit] : instructions) {
    CAPTURE(wave);
    CHECK(of_unit.at("matrix") == 5 * 8);
    CHECK(of_unit.at("barrier") == instructions.at(0).at("barrier"));
    CHECK(last_interval.at(wave) == of_unit.at("barrier")); // what follows the last barrier
    CHECK(of_unit.at("transcendental") >= 5 * 32);          // a lane has half of the tile's 64 keys
  }
}

TEST_CASE("trace: the two groups of waves never use the matrix unit in the same interval") {
  std::map<int, std::set<int>> intervals; // by group
  for (const auto& line : traced("--impl pipelined"))
    if (line["unit"] == "matrix") intervals[line["wave"].get<int>() / 4].insert(line["interval"].get<int>());
  // But for the last product, which follows the last barrier in the one and precedes it in the other.
  std::vector<int> shared;
  std::ranges::set_intersection(intervals.at(0), intervals.at(1), std::back_inserter(shared));
  CHECK(shared.size() <= 1);
  CHECK(intervals.at(0).size() == 2 * 5);
}

TEST_CASE("trace: a workgroup that no launch has, and assumptions without a model, are refused") {
  const Ran none = run_fmha950("trace " + text + " --impl pipelined --workgroup 7");
  CHECK(none.exit_code != 0);
  CHECK(none.out.empty());
  CHECK_THAT(none.err.at(0), Catch::Contains("workgroup = 7") && Catch::Contains("no launch"));
  const Ran unmodelled = run_fmha950("trace " + text + " --impl pipelined --assume exp16");
  CHECK(unmodelled.exit_code != 0);
  CHECK_THAT(unmodelled.err.at(0), Catch::Contains("--assume = exp16") && Catch::Contains("--source"));
}

TEST_CASE("trace: what cannot be traced is refused with its reason") {
  const Ran unsupported = run_fmha950("trace batch_prefill/h=8:1/sq=1/sk=1/d=64 --impl pipelined");
  CHECK(unsupported.exit_code != 0);
  CHECK_THAT(unsupported.err.at(0), Catch::Contains("only fp8 with fp8"));
  const Ran no_file = run_fmha950("trace " + text + " --impl pipelined --output /nowhere/file");
  CHECK(no_file.exit_code != 0);
  CHECK_THAT(no_file.err.at(0), Catch::Contains("output = /nowhere/file: cannot be written"));
}

TEST_CASE("trace: a file of another run stays as it is, and so does one that another process writes") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "records.jsonl", record = "{\"schema\":2}\n";
  for (const char* option : {"--output", "--timeline"}) {
    CAPTURE(option);
    folder.write("records.jsonl", record);
    const std::string line = "trace " + text + " --impl pipelined " + option + " " + file;
    const Ran kept = run_fmha950(line);
    CHECK(kept.exit_code != 0);
    CHECK_THAT(kept.err.at(0), Catch::Contains("is not empty: add --overwrite"));
    CHECK(folder.read("records.jsonl") == record);
    {
      const fmha950::harness::FileLock lock("output", file);
      const Ran locked = run_fmha950(line + " --overwrite");
      CHECK(locked.exit_code != 0);
      CHECK(folder.read("records.jsonl") == record);
    }
    CHECK(run_fmha950(line + " --overwrite").exit_code == 0);
    CHECK(folder.read("records.jsonl") != record);
    const Ran unnamed = run_fmha950("trace " + text + " --impl pipelined " + option + " ''");
    CHECK(unnamed.exit_code != 0);
    CHECK_THAT(unnamed.err.at(0), Catch::Contains("is no file"));
  }
}
