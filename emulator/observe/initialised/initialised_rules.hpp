#pragma once
// How each instruction passes invalid values on, told from its row once per decoded instruction.

#include "emulator/observe/initialised/initialised_bits.hpp"
#include "emulator/observe/operation/register_set.hpp"
#include "emulator/program/instruction.hpp"

namespace fmha950::observe {

struct ValueSource {
  // lane_mask: bit l of an SGPR pair is lane l's.
  enum class Kind : uint8_t { none, vector, scalar, lane_mask };
  Kind kind = Kind::none;
  uint8_t registers = 0;
  uint16_t first = 0;
};

// Which source bytes each byte of a vector result depends on, lane by lane.
struct ByteDependence {
  static constexpr int results = 8, sources = 4;
  uint8_t from[results][sources] = {}; // bit b: byte b of the source
  uint8_t written = 0;                 // bytes of the result; the others keep what they hold
  void depend(unsigned result_bytes, int source, unsigned source_bytes);
};

struct BitsSources {
  Bits s[3];
  const isa::Instruction& in;
  int lane = 0;  // of a vector instruction
  Bits old, scc; // of a scalar one: the destination before, and SCC
};
using BitsRule = Bits (*)(const BitsSources&);

struct InitialisedInfo {
  enum class Kind : uint8_t {
    nothing,
    bytes,  // by ByteDependence
    bits,   // by BitsRule, lane by lane
    wide,   // every result register of a lane depends on every source register of it
    select, // v_cndmask
    compare,
    read_lane,
    write_lane,
    swap, // v_swap_b32
    permlane_swap,
    matrix,
    scalar, // SALU by BitsRule, or all or nothing
    exec,   // SALU whose result goes to EXEC too: f(source, EXEC)
    branch,
    jump,          // s_setpc, s_swappc
    move_relative, // s_movrels, s_movreld
    vgpr_index,    // writes parts of M0
    memory,        // here only the address is looked at: data moves when the operation is issued
  };
  FewRegisters touched; // read or written; of a memory instruction: its address
  Kind kind = Kind::nothing;
  uint8_t results = 0; // registers written: VGPRs, or SGPRs of a scalar instruction
  bool writes_scc = false, writes_exec = false, sign_extended = false, d16 = false, high_half = false;
  bool formatted = false;      // of a buffer: a result depends on the whole element, and the other way round
  bool two_operands = false;   // of an atomic: compare-and-swap and its like
  bool exchanges = false;      // of an atomic: memory takes the operand, whatever it held
  uint8_t transposed_bits = 0; // of an element, where an LDS read transposes
  ValueSource source[ByteDependence::sources];
  ByteDependence bytes;
  BitsRule bits = nullptr;
};

InitialisedInfo initialised_info_of(const isa::Instruction& in, const isa::Uses& uses);

// Null when every bit of the result depends on all sources.
BitsRule bits_rule_of(const isa::Instruction& in);
// Lanewise instructions that are not "every result byte depends on every source byte".
ByteDependence byte_dependence_of(const isa::Instruction& in, const InitialisedInfo& info);

} // namespace fmha950::observe
