#pragma once
// Validity of VALU operands as masks of lanes, one per byte: what DPP, SDWA and masks of lanes make of the
// registers read, and of the one written.

#include "emulator/observe/initialised/initialised_registers.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"

namespace fmha950::observe {

constexpr int operand_bytes = 8; // two registers

struct OperandValidity {             // a source, after DPP's and SDWA's selection
  uint64_t byte[operand_bytes] = {}; // lanes in which it is invalid
  uint64_t origin = 0;
  uint64_t any() const { // lanes in which some byte is
    uint64_t lanes = 0;
    for (uint64_t b : byte) lanes |= b;
    return lanes;
  }
  uint64_t any_of(unsigned bytes) const { // likewise, of these
    uint64_t lanes = 0;
    for (int b = 0; b < operand_bytes; ++b)
      if (bytes >> b & 1) lanes |= byte[b];
    return lanes;
  }
};

struct ResultValidity { // of a destination, before SDWA's selection
  uint64_t byte[operand_bytes] = {};
  unsigned written = 0; // bytes; the others keep what they hold
  uint64_t lanes = 0;
  uint64_t origin = 0;
};

OperandValidity fetch_operand(const RegisterValidity& registers, const machine::Wave& wave,
                              const isa::Instruction& in, const InitialisedInfo& info, int operand);

uint64_t written_lanes(const machine::Wave& wave, const isa::Instruction& in); // EXEC, less what DPP disables

// Writes `count` registers from in.dst on.
void write_result(RegisterValidity& registers, const isa::Instruction& in, ResultValidity result, int count);

} // namespace fmha950::observe
