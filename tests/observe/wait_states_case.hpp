#pragma once
// What tests of the wait-state rules share: two instructions at a distance, which must be just enough.

#include "tests/observe/instruction_stream.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace fmha950::test {

inline std::string nops(int states) {
  std::string text;
  for (; states > 0; states -= 16) text += fmt::format("s_nop {}\n", std::min(states, 16) - 1);
  return text;
}

// Half of the distance as instructions that have nothing to do with either: they are states like any other.
inline std::string mixed(int states) {
  std::string text;
  for (; states > 0; --states)
    text += states % 3 == 0 ? "v_mov_b32 v200, 0\n" : states % 3 == 1 ? "s_mov_b32 s90, 0\n" : "s_nop 0\n";
  return text;
}

inline std::vector<observe::Hazard> hazards_of(const std::string& text) { return walk(Code(text)); }

inline void check_distance(const std::string& first, const std::string& second, int states) {
  INFO(first << " | " << second << " | " << states);
  for (const auto& fill : {nops, mixed}) {
    const auto enough = hazards_of(first + "\n" + fill(states) + second + "\n");
    INFO((enough.empty() ? "" : enough[0].what));
    CHECK(enough.empty());
    for (int have : {states - 1, states / 2, 0}) {
      if (have < 0 || have >= states) continue;
      const Code code(first + "\n" + fill(have) + second + "\n");
      const auto hazards = walk(code);
      INFO("with " << have);
      REQUIRE(hazards.size() == 1);
      INFO(hazards[0].what);
      const int missing = states - have;
      CHECK(hazards[0].missing == (missing > 16 ? fmt::format("s_nop 15, s_nop {}", missing - 17)
                                                : fmt::format("s_nop {}", missing - 1)));
      CHECK(hazards[0].type == observe::HazardClass::wait_states);
      CHECK(hazards[0].earlier.address == code.instructions().front().address);
      CHECK(hazards[0].later.address == code.instructions().back().address);
    }
  }
}

} // namespace fmha950::test
