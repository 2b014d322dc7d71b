#pragma once
// What the cycle model needs to know of one instruction of a kernel, derived once.

#include "emulator/isa/uses.hpp"
#include "emulator/rates/instruction_use.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::timing {

// Instructions of different pipes issue in the same clock, from different waves (machine_gfx950.md 6.2).
enum class Pipe : uint8_t { matrix, valu, lds, vmem, scalar, branch, internal };
inline constexpr int pipes = static_cast<int>(Pipe::internal) + 1;
const char* name_of(Pipe pipe);
Pipe pipe_of(Kind kind);

struct Op {
  Pipe pipe = Pipe::internal;
  Kind kind = Kind::unknown;
  MatrixFormat format = MatrixFormat::bf16; // of the matrix pipe
  bool makes_codes = false;                 // a conversion to two FP8 or BF8 codes
  bool makes_byte = false;                  // a conversion to one byte of a register
  int clocks = 0;        // of its pipe; of memory instructions the access says (wave_record.hpp)
  int result_clocks = 0; // from issue until what it writes may be read; 0: memory, which s_waitcnt is for
  int chain_clocks = 0;  // MFMA: until the same registers may be C again
  int vmcnt = -1, lgkmcnt = -1; // that it waits for
  int lgkm_units = 0;           // that it adds to lgkmcnt
  int internal_clocks = 0;      // s_nop, s_sleep
  int priority = -1;            // s_setprio
  bool ends = false;            // s_endpgm
  std::vector<isa::RegisterRange> reads, writes;
  isa::RegisterRange chain{.count = 0}; // MFMA: C, where it is the registers of D
  uint64_t address = 0;                 // of the code
  uint8_t bytes = 4;
  std::string text, source; // the instruction, and "file:line"; only of a launch that is shown
};

Op op_of(const isa::Instruction& instruction, uint32_t accum_offset);

} // namespace fmha950::timing
