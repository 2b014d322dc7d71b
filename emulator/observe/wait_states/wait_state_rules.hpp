#pragma once
// Which instruction must keep which distance from which earlier one, in wait states: the tables of
// machine_gfx950.md section 2 (rows H1 to H24, MFMA results) and mfma_gfx950.md section 5.2.

#include "emulator/observe/report/hazard.hpp"

#include <bit>
#include <cstdint>

namespace fmha950::observe {

// What the first instruction of a hazard does to a register. Bits.
namespace effect {
constexpr uint32_t valu = 1 << 0;    // VALU but neither MFMA nor v_dot* writes a VGPR
constexpr uint32_t dot = 1 << 1;     // v_dot* writes it
constexpr uint32_t trans = 1 << 2;   // beside valu: a transcendental
constexpr uint32_t partial = 1 << 3; // beside valu or dot: the result was moved to its place in the register
constexpr uint32_t valu_scalar = 1 << 4;
constexpr uint32_t salu = 1 << 5;
constexpr uint32_t load = 1 << 6;     // data from memory: starts no hazard, but ends those of older writes
constexpr uint32_t xdl = 1 << 7;      // MFMA and SMFMAC but f32 and f64
constexpr uint32_t sgemm = 1 << 8;    // f32 MFMA
constexpr uint32_t dgemm_16 = 1 << 9; // f64 16x16x4
constexpr uint32_t dgemm_4 = 1 << 10; // f64 4x4x4
constexpr uint32_t xdl_reads_c = 1 << 11;
constexpr uint32_t stores = 1 << 12; // memory store or compare-and-swap of more than 64 bits reads its data
constexpr uint32_t setreg = 1 << 13;
constexpr uint32_t setvskip = 1 << 14;
constexpr uint32_t any_dgemm = 1 << 15;
constexpr uint32_t matrix = xdl | sgemm | dgemm_16 | dgemm_4;
constexpr uint32_t stores_at_sgpr = 1 << 16; // likewise, a buffer store whose soffset is an SGPR
constexpr uint32_t reads_only = xdl_reads_c | stores | stores_at_sgpr;
} // namespace effect

// What the second instruction wants of a register. Bits.
namespace access {
constexpr uint32_t valu_read = 1 << 0;      // all but MFMA
constexpr uint32_t non_trans_read = 1 << 1; // beside valu_read
constexpr uint32_t valu_write = 1 << 2;
constexpr uint32_t matrix_write = 1 << 3;
constexpr uint32_t load_write = 1 << 4;
constexpr uint32_t memory_read = 1 << 5; // VGPR with an address or data
constexpr uint32_t memory_scalar = 1 << 6;
constexpr uint32_t a_b = 1 << 7;      // MFMA: matrix A or B, SMFMAC's index, scales
constexpr uint32_t c_of_xdl = 1 << 8; // matrix C ...
constexpr uint32_t c_of_sd = 1 << 9;
constexpr uint32_t same_c_of_xdl = 1 << 10; // ... in exactly the registers of the first one's result
constexpr uint32_t same_c_of_sd = 1 << 11;
constexpr uint32_t dpp = 1 << 12;
constexpr uint32_t lane_read = 1 << 13; // v_readlane, v_readfirstlane
constexpr uint32_t lane_select = 1 << 14;
constexpr uint32_t permlane = 1 << 15;
constexpr uint32_t constant = 1 << 16; // VALU reads an SGPR for all lanes alike, not as a mask of lanes
constexpr uint32_t exec_of_dpp = 1 << 17;
constexpr uint32_t exec_of_lane = 1 << 18; // v_readlane, v_readfirstlane, v_writelane
constexpr uint32_t exec_of_permlane = 1 << 19;
constexpr uint32_t exec_of_mfma = 1 << 20;
constexpr uint32_t zero_flag = 1 << 21; // VCCZ, EXECZ as data
constexpr uint32_t div_fmas = 1 << 22;
constexpr uint32_t m0 = 1 << 23;
constexpr uint32_t getreg = 1 << 24, setreg = 1 << 25, rfe = 1 << 26;
constexpr uint32_t vskip = 1 << 27; // every vector instruction
constexpr uint32_t fma_f64 = 1 << 28;
constexpr uint32_t dot_c = 1 << 29; // beside valu_read
// These follow an ordinary VALU write too closely often enough that nothing is kept of those: they look back.
constexpr uint32_t looks_back = a_b | c_of_xdl | c_of_sd | dpp | lane_read | permlane;
} // namespace access

struct Requirement {
  int states = 0;
  const char* reason = ""; // for the report
  int error_below = 0; // fewer are an error; so many are what shipped kernels leave, or disputed: a warning

  Severity severity(int have) const { return have < error_below ? Severity::error : Severity::warning; }
};

// States between one that did `effects` and one that wants `accesses` of the same register; `passes` are
// those of the first if it is an MFMA.
Requirement required_states(uint32_t effects, int passes, uint32_t accesses);

// The most states any access may have to wait, but for those that look back and find ordinary VALU writes.
int longest_requirement(uint32_t effects, int passes);

constexpr int longest_of_all = 20;
constexpr int longest_after_valu = 2; // of accesses that look back

} // namespace fmha950::observe
