#pragma once
// Sources and results of VOP3P: two values per 32-bit register. op_sel picks the half that the low result
// reads, op_sel_hi that of the high result; neg and neg_hi likewise (ISA guide, VOP3P).

#include "emulator/isa/float_math.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {

template <class T> struct Halves {
  Lanes<T> low, high;
};
template <class T> FMHA950_INLINE Halves<T> halves_of(Lanes<u32> packed) {
  const auto low = __builtin_convertvector(packed, Lanes<u16>),
             high = __builtin_convertvector(packed >> 16, Lanes<u16>);
  return {__builtin_bit_cast(Lanes<T>, low), __builtin_bit_cast(Lanes<T>, high)};
}
template <class T> FMHA950_INLINE Lanes<u32> packed_of(Halves<T> halves) {
  const auto low = __builtin_convertvector(__builtin_bit_cast(Lanes<u16>, halves.low), Lanes<u32>);
  const auto high = __builtin_convertvector(__builtin_bit_cast(Lanes<u16>, halves.high), Lanes<u32>);
  return low | high << 16;
}

FMHA950_INLINE Lanes<u32> flushed_halves(uint32_t mode, DenormalField which, Lanes<u32> packed) {
  const auto halves = halves_of<f16>(packed);
  return packed_of<f16>({flushed<f16>(mode, which, halves.low), flushed<f16>(mode, which, halves.high)});
}

FMHA950_INLINE Lanes<u32> read_source(const Wave& wave, const Source& source) {
  if (source.kind == Source::Kind::vgpr) [[likely]]
    return load_lanes<u32>(wave.lanes(source.index));
  return Lanes<u32>(static_cast<u32>(scalar_bits(wave, source, false)));
}
template <bool is_float>
FMHA950_INLINE Lanes<u32> read_packed(const Wave& wave, const Instruction& in, int operand) {
  const Source& source = in.src[operand];
  Lanes<u32> value = read_source(wave, source);
  if (!in.has_modifiers()) [[likely]]
    return value;
  const bool low_from_high = in.op_sel >> operand & 1, high_from_high = in.op_sel_hi >> operand & 1;
  const Lanes<u32> low = low_from_high ? value >> 16 : value & 0xFFFFu;
  value = low | (high_from_high ? value & 0xFFFF0000u : value << 16);
  if constexpr (is_float) {
    value ^= (source.neg ? 0x8000u : 0u) | (source.neg_hi ? 0x80000000u : 0u);
    if (in.row->flushes) value = flushed_halves(wave.mode, DenormalField::of_operands, value);
  }
  return value;
}

} // namespace fmha950::isa::FMHA950_SIMD
