#pragma once
// Operand fields of an encoding, per the ISA guide's chapter "Microcode Formats" (SOP*, SMEM, VOP*, SDWA,
// DPP, DS, MUBUF, MTBUF, FLAT) and mfma_gfx950.md section 2.1 (VOP3P-MAI).

#include "emulator/program/instruction.hpp"

#include <cstdint>
#include <string_view>

namespace fmha950::isa {

Encoding encoding_of(uint32_t word);

// Fills the operand fields of `instruction` from its words; `accum_offset` is where AccVGPRs start. The row,
// when there is one, says how constants are read. `mnemonic` tells encodings apart that share opcode space.
void decode_fields(Instruction& instruction, std::string_view mnemonic, uint32_t accum_offset);

} // namespace fmha950::isa
