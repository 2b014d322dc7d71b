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

} // namespace fmha950::isa
