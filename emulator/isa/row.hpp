#pragma once
// One row of an instruction table: mnemonic as LLVM prints it without its encoding suffix (_e32, _e64, _sdwa,
// _dpp), and the function that executes it. Families are files of rows; families.hpp lists them. Every family
// file is compiled three times, into namespaces simd_avx512, simd_avx2 and simd_baseline (FMHA950_SIMD),
// chosen at run time.

#include "emulator/isa/instruction.hpp"

#include <cstddef>

#ifndef FMHA950_SIMD
#define FMHA950_SIMD simd_baseline
#endif

namespace fmha950::isa {

struct Row {
  const char* mnemonic;
  Execute execute;
  ConstantType constant[3] = {ConstantType::b32, ConstantType::b32, ConstantType::b32}; // per source operand
};

struct Rows {
  const Row* first;
  size_t count;
};
template <size_t N> constexpr Rows rows_of(const Row (&rows)[N]) { return {rows, N}; }

} // namespace fmha950::isa
