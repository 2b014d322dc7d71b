#pragma once
// What the cycle model needs to know of one instruction of a kernel, derived once.

#include "emulator/isa/uses.hpp"
#include "emulator/rates/instruction_use.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace fmha950::timing {

// Instructions of different pipes issue in the same clock, from different waves (machine_gfx950.md 6.2).
enum class Pipe : uint8_t { matrix, valu, lds, vmem, scalar, branch, internal };
inline constexpr int pipes = static_cast<int>(Pipe::internal) + 1;
const char* name_of(Pipe pipe);
Pipe pipe_of(Kind kind);

// Registers that an instruction reads or writes, as the model numbers them: VGPRs first, then SGPRs with SCC.
struct RegisterSlots {
  static constexpr int vector_registers = target.vgprs_per_lane, registers = vector_registers + 256;

  RegisterSlots() = default;
  explicit RegisterSlots(const isa::RegisterRange& range)
      : first(static_cast<uint16_t>(range.first +
                                    (range.file == isa::RegisterRange::File::vector ? 0 : vector_registers))),
        count(static_cast<uint16_t>(std::min<int>(range.count, registers - first))) {}
  bool operator==(const RegisterSlots&) const = default;

  uint16_t first = 0, count = 0;
};

template <size_t most> class RegisterUses { // in place: the model looks at them for every instruction
 public:
  RegisterUses() = default;
  RegisterUses(std::initializer_list<isa::RegisterRange> ranges) { assign({ranges.begin(), ranges.size()}); }
  void assign(std::span<const isa::RegisterRange> ranges) {
    count_ = 0;
    for (const isa::RegisterRange& range : ranges.first(std::min(most, ranges.size())))
      slots_[count_++] = RegisterSlots(range);
  }
  const RegisterSlots* begin() const { return slots_.data(); }
  const RegisterSlots* end() const { return slots_.data() + count_; }

 private:
  uint8_t count_ = 0;
  std::array<RegisterSlots, most> slots_;
};

// What a replay looks at fills two lines of the host's cache.
struct alignas(64) Op {
  Pipe pipe = Pipe::internal;
  Kind kind = Kind::unknown;
  MatrixFormat format = MatrixFormat::bf16; // of the matrix pipe
  bool makes_codes = false;                 // a conversion to two FP8 or BF8 codes
  bool makes_byte = false;                  // a conversion to one byte of a register
  bool ends = false;                        // s_endpgm
  uint8_t bytes = 4;                        // of the code
  isa::RegisterRange chain{.count = 0};     // MFMA: C, where it is the registers of D
  uint64_t address = 0;                     // of the code
  int clocks = 0;        // of its pipe; of memory instructions the access says (wave_record.hpp)
  int result_clocks = 0; // from issue until what it writes may be read; 0: memory, which s_waitcnt is for
  int chain_clocks = 0;  // MFMA: until the same registers may be C again
  int vmcnt = -1, lgkmcnt = -1; // that it waits for
  int lgkm_units = 0;           // that it adds to lgkmcnt
  int internal_clocks = 0;      // s_nop, s_sleep
  int priority = -1;            // s_setprio
  RegisterUses<4> writes;       // what isa::Uses has room for
  RegisterUses<8> reads;
  std::string text, source; // the instruction, and "file:line"; only of a launch that is shown
};

Op op_of(const isa::Instruction& instruction, uint32_t accum_offset);

} // namespace fmha950::timing
