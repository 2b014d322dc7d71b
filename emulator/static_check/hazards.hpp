#pragma once
// The hazards of a kernel that follow from its code alone, on all paths: registers in flight, wait states and LDS that LDS DMA
// writes. And the places where the code alone does not say.

#include "emulator/static_check/code.hpp"

#include <string>
#include <vector>

namespace fmha950::static_check {

enum class Severity : uint8_t { error, warning, unknown };
const char* name_of(Severity severity);

struct Finding {
  Severity severity = Severity::error;
  std::string kind;            // name of the hazard class, or of what is unknown
  size_t earlier = Code::none; // instructions
  size_t later = Code::none;
  std::string what;
  std::string missing; // what would be right: "s_waitcnt vmcnt(4)", "s_nop 3"
};

// Which paths count: all of the control flow; or, for errors of what is in flight, those whose branches go together
// (path_walk.hpp).
enum class Paths : uint8_t { all, possible };

// By the later instruction, in code order; a pair of instructions once for each kind.
std::vector<Finding> find_hazards(const Code& code, const Steps& steps, Paths paths = Paths::possible);
inline std::vector<Finding> find_hazards(const Code& code) { return find_hazards(code, code.steps()); }

} // namespace fmha950::static_check
