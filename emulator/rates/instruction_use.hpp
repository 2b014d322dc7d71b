#pragma once
// What one wave's instruction asks of the compute unit: which unit, for how long, how many bytes.

#include "emulator/program/instruction.hpp"

#include <cstdint>
#include <string>

namespace fmha950::timing {

enum class Kind : uint8_t {
  mfma,
  plain_valu,
  packed_valu,
  transcendental,
  conversion,
  lds_read,
  lds_transpose, // ds_read_*_tr_*
  lds_write,
  lds_exchange, // permute, bpermute, swizzle: through the LDS' crossbar
  lds_atomic,
  lds_dma, // memory to LDS
  vmem_load,
  vmem_store,
  vmem_atomic,
  cache_control,
  smem,
  salu,
  branch,
  wait,
  barrier,
  nop,
  other_internal, // s_setprio, s_sleep ...: not issued to a unit
  call,           // leaves the function and comes back
  unknown         // not an instruction of gfx950, or a memory instruction that the device does not execute
};
inline constexpr int kinds = static_cast<int>(Kind::unknown) + 1;

// What a matrix instruction multiplies, as far as the energy of a pass is told apart by it (harness/perf/clock_law.hpp).
enum class MatrixFormat : uint8_t {
  bf16,  // and what no energy is known of: f16, i8, f32, f64
  fp8,   // FP8 or BF8, of instructions that take nothing else
  f8f6f4 // formats by cbsz and blgp, scaled or not
};
inline constexpr int matrix_formats = static_cast<int>(MatrixFormat::f8f6f4) + 1;
const char* name_of(MatrixFormat format);
MatrixFormat matrix_format_of(const isa::Instruction& instruction); // of a matrix instruction

struct InstructionUse {
  Kind kind = Kind::unknown;
  int matrix_clocks = 0;                             // of its SIMD
  int valu_clocks = 0;                               // of its SIMD
  int lds_read_clocks = 0, lds_write_clocks = 0;     // of the CU
  int lds_bytes = 0, vmem_bytes = 0, smem_bytes = 0; // of the wave, all 64 lanes active
  bool issues = true;                                // takes one of the wave's issue slots
  int wait_states = 0;                               // s_nop
};

// Also of instructions that the device does not execute: LLVM knows them. "" when it is no instruction.
std::string assembler_mnemonic_of(const isa::Instruction& instruction);
InstructionUse use_of(const isa::Instruction& instruction);

// "v_mfma_f32_32x32x64_f8f6f4 fp8 x fp4": shape and, where fields and not the name say them, formats.
std::string mfma_name(const isa::Instruction& instruction);
// "vmcnt(4) lgkmcnt(0)": the fields of an s_waitcnt that wait for something.
std::string wait_name(const isa::Instruction& instruction);

} // namespace fmha950::timing
