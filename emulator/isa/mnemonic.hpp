#pragma once
// What an instruction is called, and what is told from names alone: for code beside the instruction tables
// (row.hpp) that asks what an instruction is rather than executing it.

#include "emulator/program/row.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace fmha950::isa {

inline std::string_view mnemonic_of(const Instruction& in) { // "" of one that the device does not execute
  return in.row ? in.row->mnemonic : "";
}

inline bool contains(std::string_view mnemonic, std::string_view part) {
  return mnemonic.find(part) != mnemonic.npos;
}
inline bool starts_with_any(std::string_view mnemonic, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return mnemonic.starts_with(prefix); });
}

// Whether it goes to Instruction::target, always or under a condition.
inline bool is_relative_branch(const Instruction& in) {
  return in.encoding == Encoding::sopp && starts_with_any(mnemonic_of(in), {"s_branch", "s_cbranch"});
}

// FLAT proper: LDS, scratch or device memory by its address, so that it owes both counters
// (machine_gfx950.md section 1.1).
inline bool owes_both_counters(std::string_view mnemonic) { return mnemonic.starts_with("flat_"); }

// A load whose data goes to LDS and not into registers (machine_gfx950.md section 3.2).
inline bool is_lds_dma(const Instruction& in, std::string_view mnemonic) {
  return in.lds || contains(mnemonic, "_load_lds_");
}

} // namespace fmha950::isa
