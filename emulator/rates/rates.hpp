#pragma once
// How fast each unit of a gfx950 compute unit is. Sources: machine_gfx950.md sections 3.3 and 6,
// mfma_gfx950.md section 5.1, lds_phases.csv. Marks as there: [D] documented, [S] source code, [C]
// compiled, [M] measured by others, [I] inferred, [R] recalled; "guess" where nothing is public. None was
// measured by us, and none is LLVM's: its scheduling model rates v_exp_f32 as a plain VALU operation and fp8
// operands of f8f6f4 as fp4.

#include "emulator/program/instruction.hpp"
#include "emulator/program/valu_facts.hpp"
#include "numerics/target.hpp"

#include <cstdint>

namespace fmha950::timing {

inline constexpr int wave_lanes = target.wave_lanes;
inline constexpr int simds_per_cu = target.simds_per_cu;         // 6.1 [D]
inline constexpr int max_waves_per_simd = target.waves_per_simd; // 6.1 [D]
inline constexpr int clocks_per_issue = 4; // 6.2: a wave issues at most one instruction every 4 clocks [D]
inline constexpr int clocks_per_pass = 4;  // 6.3, mfma 5: one MFMA pass, and one wait state of s_nop
// The address unit takes so many lanes per clock (SIMD16, 6.1), and a clock more for each further line of
// them: how it coalesces is a guess.
inline constexpr int coalesced_lanes = 16;

// Bytes per clock of a whole CU.
inline constexpr double l1_bytes_per_clock = 128;                // 6.1: profiler peak [S]
inline constexpr double scalar_cache_bytes_per_clock = 64.0 / 2; // 6.1: 64 B/clk for a pair of CUs [S]

// Passes of v_mfma_* and v_smfmac_* (mfma_gfx950.md section 5.1), 4 clocks each; 0 of what is neither.
int matrix_passes(const isa::Instruction& instruction);

// A 3-bit format code of cbsz (A) or blgp (B) of f8f6f4 (mfma_gfx950.md section 3.1).
const char* f8f6f4_format(unsigned code);
unsigned cbsz(const isa::Instruction& instruction);
unsigned blgp(const isa::Instruction& instruction);

// Clocks for which one wave's instruction occupies its SIMD's VALU.
int valu_clocks(const isa::ValuFacts& facts);

} // namespace fmha950::timing
