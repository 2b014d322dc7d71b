// Against lds_phases.csv, measured on MI355X (data/calibration/README.md): two lanes of one phase that want
// other dwords of a bank conflict, two of different phases never do.
#include "emulator/rates/lds_phases.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"

#include <array>
#include <fstream>
#include <map>
#include <sstream>

using namespace fmha950::timing;

namespace {

struct Instruction {
  std::string name;
  LdsDirection direction;
  int bytes;
};
const std::array<Instruction, 4> measured = {{{"ds_read_b64", LdsDirection::read, 8},
                                              {"ds_read_b96", LdsDirection::read, 12},
                                              {"ds_read_b128", LdsDirection::read, 16},
                                              {"ds_write_b64", LdsDirection::write, 8}}};

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::ifstream stream(fmha950::source_path("data/calibration/") + file);
  REQUIRE(stream);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(stream, line); // names of the columns
  while (std::getline(stream, line)) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

// Of two lanes whose addresses are `apart` bytes.
int conflicts(const Instruction& in, int first, int second, uint32_t apart) {
  std::array<uint32_t, 64> addresses{};
  addresses[static_cast<size_t>(second)] = apart;
  return lds_phases(in.direction, in.bytes, addresses.data(), uint64_t{1} << first | uint64_t{1} << second)
      .conflicts;
}

} // namespace

TEST_CASE("timing: two lanes conflict on the LDS' banks exactly where hardware was seen to") {
  std::map<std::string, std::map<int, int>> phases; // by instruction and lane
  for (const auto& row : rows_of("lds_phases.csv")) {
    std::istringstream lanes(row.at(5));
    for (int lane; lanes >> lane;) phases[row.at(0)][lane] = std::stoi(row.at(3));
  }
  for (const Instruction& in : measured) {
    REQUIRE(phases[in.name].size() == 64);
    for (int a = 0; a < 64; ++a)
      for (int b = a + 1; b < 64; ++b) {
        CAPTURE(in.name, a, b);
        REQUIRE(conflicts(in, a, b, 4096) == (phases[in.name][a] == phases[in.name][b] ? 1 : 0));
      }
  }
}

TEST_CASE("timing: phases and banks of LDS instructions are those that were measured") {
  std::map<std::string, std::pair<int, int>> banks_and_phases;
  for (const auto& row : rows_of("lds_phases.csv"))
    banks_and_phases[row.at(0)] = {std::stoi(row.at(1)), std::stoi(row.at(2))};
  for (const Instruction& in : measured) {
    CAPTURE(in.name);
    const auto [banks, phases] = banks_and_phases.at(in.name);
    std::array<uint32_t, 64> same{};
    CHECK(lds_phases(in.direction, in.bytes, same.data(), ~uint64_t{0}).phases == phases);
    CHECK(lds_phases(in.direction, in.bytes, same.data(), ~uint64_t{0}).conflicts == 0); // a broadcast
    // Lanes 0 and 1 share a phase: they meet again after all banks, and not before.
    CHECK(conflicts(in, 0, 1, static_cast<uint32_t>(4 * banks)) == 1);
    CHECK(conflicts(in, 0, 1, static_cast<uint32_t>(2 * banks)) == 0);
  }
}

// ds_write_b64, all lanes on one bank: the counter's 60 of lds_conflict_counters.csv.
TEST_CASE("timing: the conflict counter counts what the busiest bank of a phase adds") {
  std::array<uint32_t, 64> addresses;
  for (uint32_t lane = 0; lane < 64; ++lane) addresses[lane] = 256 * lane;
  CHECK(lds_phases(LdsDirection::write, 8, addresses.data(), ~uint64_t{0}).conflicts == 60);
  CHECK(lds_phases(LdsDirection::write, 8, addresses.data(), 0).conflicts == 0);
}
