#pragma once
// What an instruction is called. What it is stands in its row (row.hpp): nothing is told from its name.

#include "emulator/program/row.hpp"

#include <string_view>

namespace fmha950::isa {

inline std::string_view mnemonic_of(const Instruction& in) { // "" of one that no row describes
  return in.row ? in.row->mnemonic : "";
}

} // namespace fmha950::isa
