#pragma once
// What a SALU instruction does beside computing its result from its sources, as its row says it (row.hpp).

#include <cstdint>

namespace fmha950::isa {

enum class ScalarRole : uint8_t {
  unsaid, // rows of the SALU all say one
  plain,
  moves_from, // the SGPR that M0 adds to
  moves_to,   // likewise
  saves_exec, // EXEC becomes the result, the destination what EXEC was
  writes_exec // both become the result
};

} // namespace fmha950::isa
