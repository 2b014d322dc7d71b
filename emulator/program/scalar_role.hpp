#pragma once
// What a SALU instruction does beside computing its result from its sources, as its row says it (row.hpp).

#include <cstdint>

namespace fmha950::isa {

enum class ScalarRole : uint8_t {
  unsaid, // rows of the SALU all say one
  plain,
  updates,    // the destination keeps what the result does not replace: it is a source, too
  moves_from, // the SGPR that M0 adds to
  moves_to,   // likewise
  saves_exec, // EXEC becomes the result, the destination what EXEC was
  writes_exec // both become the result
};

constexpr bool sets_exec(ScalarRole role) {
  return role == ScalarRole::saves_exec || role == ScalarRole::writes_exec;
}
constexpr bool moves_by_m0(ScalarRole role) {
  return role == ScalarRole::moves_from || role == ScalarRole::moves_to;
}

} // namespace fmha950::isa
