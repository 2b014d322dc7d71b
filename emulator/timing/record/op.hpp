#pragma once
// What the cycle model needs to know of one instruction of a kernel, derived once.

#include "emulator/isa/uses.hpp"
#include "emulator/rates/instruction_use.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
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

  // Groups of neighbours have a bit each, which SGPRs share with the upper half of the VGPRs, the last of these first:
  // where no bits meet, no registers do.
  static constexpr int group_bits = 3;
  static int group_of(int slot) { return slot >> group_bits; }
  uint64_t groups() const {
    if (count == 0) return 0;
    constexpr int of_vectors = vector_registers >> group_bits;
    const int first_group = group_of(first), last_group = group_of(first + count - 1);
    const int lowest = first_group < of_vectors ? first_group : 2 * of_vectors - 1 - last_group;
    return ((uint64_t{2} << (last_group - first_group)) - 1) << lowest;
  }
  // A bit for each register, which those 64 apart share: likewise, and neighbours do not meet.
  uint64_t places() const {
    const uint64_t bits = count < 64 ? (uint64_t{1} << count) - 1 : ~uint64_t{0};
    return std::rotl(bits, first % 64);
  }
};
static_assert(RegisterSlots::vector_registers >> RegisterSlots::group_bits == 64);

template <size_t most> class RegisterUses { // in place: the model looks at them for every instruction
 public:
  void assign(std::span<const isa::RegisterRange> ranges) {
    count_ = 0;
    for (const isa::RegisterRange& range : ranges.first(std::min(most, ranges.size())))
      slots_[count_++] = RegisterSlots(range);
  }
  const RegisterSlots* begin() const { return slots_.data(); }
  const RegisterSlots* end() const { return slots_.data() + count_; }
  uint64_t groups() const { // of all ranges
    uint64_t bits = 0;
    for (const RegisterSlots range : *this) bits |= range.groups();
    return bits;
  }
  uint64_t places() const {
    uint64_t bits = 0;
    for (const RegisterSlots range : *this) bits |= range.places();
    return bits;
  }

 private:
  uint8_t count_ = 0;
  std::array<RegisterSlots, most> slots_;
};

// What a replay looks at for every instruction fills one line of the host's cache.
struct alignas(64) Op {
  uint64_t address = 0; // of the code
  Pipe pipe = Pipe::internal;
  Kind kind = Kind::unknown;
  MatrixFormat format = MatrixFormat::bf16; // of the matrix pipe
  bool ends = false;                        // s_endpgm
  bool own_registers = false;      // touches nothing but its wave's registers, and the next one follows
  uint8_t bytes = 4;               // of the code
  int8_t vmcnt = -1, lgkmcnt = -1; // that it waits for
  int8_t lgkm_units = 0;           // that it adds to lgkmcnt
  int8_t priority = -1;            // s_setprio
  bool alone = false;              // of the VALU: not beside its SIMD's matrix unit
  int16_t clocks = 0;              // of its pipe; of memory instructions the access says (wave_record.hpp)
  int16_t result_clocks = 0; // from issue until what it writes may be read; 0: memory, which s_waitcnt is for
  int16_t chain_clocks = 0;  // MFMA: until the same registers may be C again
  int16_t internal_clocks = 0;                  // s_nop, s_sleep
  RegisterUses<4> writes;                       // what isa::Uses has room for
  uint64_t read_groups = 0, written_groups = 0; // RegisterSlots::groups of all
  RegisterUses<8> reads;
  uint64_t read_places = 0, written_places = 0; // RegisterSlots::places of all
  RegisterSlots chain;                          // MFMA: C, where it is the registers of D
  bool makes_codes = false;                     // a conversion to two FP8 or BF8 codes
  bool makes_byte = false;                      // a conversion to one byte of a register
  std::string text, source; // the instruction, and "file:line"; only of a launch that is shown

  void set_registers(std::span<const isa::RegisterRange> read, std::span<const isa::RegisterRange> written) {
    reads.assign(read);
    writes.assign(written);
    read_groups = reads.groups();
    written_groups = writes.groups();
    read_places = reads.places();
    written_places = writes.places();
  }
};
static_assert(offsetof(Op, reads) == 64);

Op op_of(const isa::Instruction& instruction, uint32_t accum_offset);

} // namespace fmha950::timing
