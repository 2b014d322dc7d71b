#include "emulator/observe/initialised/initialised_operands.hpp"

#include "emulator/isa/lane_dpp.hpp"

#include <algorithm>

namespace fmha950::observe {
namespace {

using isa::Extension;
using isa::Instruction;
using isa::simd_baseline::DppPattern;
using machine::Wave;

DppPattern dpp_of(const Wave& wave, const Instruction& in) {
  return isa::simd_baseline::dpp_pattern(in.words[1], wave.exec());
}
uint64_t permuted(uint64_t lanes, const DppPattern& pattern) {
  uint64_t result = 0;
  for (uint64_t left = pattern.valid; left; left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    result |= (lanes >> pattern.source[lane] & 1) << lane;
  }
  return result; // lanes without a source read 0
}

// SDWA's select: 0..3 byte, 4..5 word, 6 dword; what is above is zero or sign (isa/valu_modifiers.cpp).
void select_part(OperandValidity& f, uint32_t control) {
  const unsigned select = control & 7, bytes = select < 4 ? 1 : 2;
  if (select >= 6) return;
  const unsigned first = select < 4 ? select : 2 * (select - 4);
  uint64_t part[2] = {};
  for (unsigned b = 0; b < bytes; ++b) part[b] = f.byte[first + b];
  const uint64_t above = control >> 3 & 1 ? part[bytes - 1] : 0;
  for (unsigned b = 0; b < 4; ++b) f.byte[b] = b < bytes ? part[b] : above;
}

// SDWA's destination select and what becomes of the unused part: 0 zero, 1 sign, 2 preserved.
void place(ResultValidity& result, const Instruction& in) {
  const unsigned select = in.words[1] >> 8 & 7, unused = in.words[1] >> 11 & 3;
  if (select >= 6) return;
  const unsigned bytes = select < 4 ? 1 : 2, first = select < 4 ? select : 2 * (select - 4);
  const uint64_t low[2] = {result.byte[0], result.byte[1]};
  const uint64_t sign = unused == 1 ? low[bytes - 1] : 0;
  result.written = unused == 2 ? ((1u << bytes) - 1) << first : 0xF;
  for (unsigned b = 0; b < 4; ++b) result.byte[b] = b < first ? 0 : b < first + bytes ? low[b - first] : sign;
}

} // namespace

OperandValidity fetch_operand(const RegisterValidity& registers, const Wave& wave, const Instruction& in,
                              const InitialisedInfo& info, int operand) {
  OperandValidity f;
  const ValueSource& source = info.source[operand];
  switch (source.kind) {
  case ValueSource::Kind::none: return f;
  case ValueSource::Kind::vector:
    for (int r = 0; r < std::min<int>(source.registers, 2); ++r) {
      const ByteLanes& bytes = registers.vgpr(source.first + r);
      std::copy(bytes.begin(), bytes.end(), f.byte + 4 * r);
      if (any_byte(bytes)) f.origin = registers.vgpr_origin(source.first + r);
    }
    break;
  case ValueSource::Kind::scalar:
    for (int b = 0; b < 4 * std::min<int>(source.registers, 2); ++b)
      if (registers.sgpr(source.first + b / 4) >> (8 * (b % 4)) & 0xFF) {
        f.byte[b] = all_lanes;
        f.origin = registers.sgpr_origin(source.first + b / 4);
      }
    break;
  case ValueSource::Kind::lane_mask:
    std::fill_n(f.byte, operand_bytes, registers.sgpr64(source.first));
    f.origin = registers.sgpr_origin(source.first);
    return f;
  }
  if (in.extension == Extension::dpp && operand == 0) {
    const DppPattern pattern = dpp_of(wave, in);
    for (uint64_t& lanes : f.byte)
      if (lanes) lanes = permuted(lanes, pattern);
  }
  if (in.extension == Extension::sdwa && operand < 2) select_part(f, in.words[1] >> (operand == 0 ? 16 : 24));
  return f;
}

uint64_t written_lanes(const Wave& wave, const Instruction& in) {
  return in.extension == Extension::dpp ? dpp_of(wave, in).written : wave.exec();
}

void write_result(RegisterValidity& registers, const Instruction& in, ResultValidity result, int count) {
  if (in.extension == Extension::sdwa) place(result, in);
  for (int r = 0; r < count; ++r) {
    ByteLanes bytes = registers.vgpr(in.dst + r);
    bool any = false;
    for (int b = 0; b < 4; ++b) {
      if (!(result.written >> (4 * r + b) & 1)) continue;
      const uint64_t fresh = result.byte[4 * r + b] & result.lanes;
      bytes[b] = (bytes[b] & ~result.lanes) | fresh;
      any |= fresh != 0;
    }
    registers.set_vgpr(in.dst + r, bytes, any ? result.origin : registers.vgpr_origin(in.dst + r));
  }
}

} // namespace fmha950::observe
