// Dot products of packed values and the mixed-precision FMA
// (ISA guide, VOP2 v_dot*c, VOP3P v_dot*, v_fma_mix*).

#include "emulator/isa/families.hpp"
#include "emulator/isa/packed.hpp"
#include "numerics/fp16.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using U = Lanes<u32>;
using V = Lanes<f32>;

FMHA950_INLINE V from_f16(U packed, bool high) {
  const auto halves = halves_of<f16>(packed);
  return __builtin_convertvector(high ? halves.high : halves.low, V);
}
FMHA950_INLINE V from_bf16(U packed, bool high) {
  return from_bits<f32>(high ? packed & 0xFFFF0000u : packed << 16);
}

// The products are exact in f32; each sum rounds, low element first (order of the guide's pseudo-code for
// V_DOT2C_F32_BF16; that the others share it is a guess).
template <bool bfloat> FMHA950_INLINE V float_dot(U a, U b, V sum) {
  for (const bool high : {false, true}) {
    const V x = bfloat ? from_bf16(a, high) : from_f16(a, high),
            y = bfloat ? from_bf16(b, high) : from_f16(b, high);
    const V result = fma<f32>(x, y, sum);
    V chosen = result;
    choose_nans(chosen, x, y, sum);
    sum = chosen;
  }
  return sum;
}

// Elements of `bits` bits; saturation (clamp) is of the whole sum.
template <int bits, bool is_signed> FMHA950_INLINE U integer_dot(U a, U b, U addend, bool saturate) {
  using Wide = Lanes<i64>;
  const auto element = [](U x, int i) __attribute__((always_inline)) {
    const U top = x << (32 - bits * (i + 1));
    const Lanes<i32> value = __builtin_bit_cast(Lanes<i32>, top) >> (32 - bits);
    return is_signed ? value : __builtin_bit_cast(Lanes<i32>, top >> (32 - bits));
  };
  U wrapped = addend;
  for (int i = 0; i < 32 / bits; ++i)
    wrapped += __builtin_bit_cast(U, element(a, i)) * __builtin_bit_cast(U, element(b, i));
  if (!saturate) return wrapped;
  Wide sum = is_signed ? __builtin_convertvector(__builtin_bit_cast(Lanes<i32>, addend), Wide)
                       : __builtin_convertvector(addend, Wide);
  for (int i = 0; i < 32 / bits; ++i)
    sum += __builtin_convertvector(element(a, i), Wide) * __builtin_convertvector(element(b, i), Wide);
  constexpr i64 low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
  const Wide below = sum > high ? Wide(high) : sum;
  return __builtin_convertvector(below < low ? Wide(low) : below, U);
}

// Sources of a dot product: VOP3P with op_sel and neg, or the VOP2 form with DPP and, in VOP3 encoding, neg
// for the low and abs for the high element (ISA guide, V_DOT2C_F32_BF16).
template <bool is_float> FMHA950_INLINE U dot_source(const Wave& wave, const Instruction& in, int operand) {
  if (in.encoding == Encoding::vop3p) return read_packed<is_float>(wave, in, operand);
  Scratch scratch;
  const U value = load_lanes<u32>(locate<u32>(wave, in, operand, scratch));
  if (!is_float || in.encoding != Encoding::vop3) return value;
  return value ^ ((in.src[operand].neg ? 0x8000u : 0u) | (in.src[operand].abs ? 0x80000000u : 0u));
}
template <bool accumulates>
FMHA950_INLINE U addend_of(const Wave& wave, const Instruction& in, bool is_float) {
  if (accumulates) return load_lanes<u32>(wave.lanes(in.dst));
  const Source& source = in.src[2];
  U value = read_source(wave, source);
  if (is_float && source.neg_hi) value &= 0x7FFFFFFFu; // for a 32-bit source neg_hi is abs
  return is_float && source.neg ? value ^ 0x80000000u : value;
}

template <bool bfloat, bool accumulates> void float_dot2(Wave& wave, const Instruction& in) {
  const V addend = from_bits<f32>(addend_of<accumulates>(wave, in, true));
  const V sum = float_dot<bfloat>(dot_source<true>(wave, in, 0), dot_source<true>(wave, in, 1), addend);
  write_vgpr<f32>(wave.lanes(in.dst), in.clamp ? clamped<f32>(wave.mode, sum) : sum, lanes_written(wave, in));
}
template <int bits, bool is_signed, bool accumulates> void integer_dots(Wave& wave, const Instruction& in) {
  const U addend = addend_of<accumulates>(wave, in, false);
  // Only 16-bit elements know op_sel.
  const auto source = [&](int i) __attribute__((always_inline)) {
    return bits == 16 || accumulates ? dot_source<false>(wave, in, i) : read_source(wave, in.src[i]);
  };
  const U sum = integer_dot<bits, is_signed>(source(0), source(1), addend, in.clamp);
  write_vgpr<u32>(wave.lanes(in.dst), sum, lanes_written(wave, in));
}

// op_sel_hi: the source is a half, which op_sel picks; else an f32. neg_hi is abs.
FMHA950_INLINE V mixed_source(const Wave& wave, const Instruction& in, int operand) {
  const Source& source = in.src[operand];
  const U bits = read_source(wave, source);
  V value = from_bits<f32>(bits);
  if (in.op_sel_hi >> operand & 1)
    value = from_f16(flushed_halves(wave.mode, DenormalField::of_operands, bits), in.op_sel >> operand & 1);
  else
    value = flushed<f32>(wave.mode, DenormalField::of_operands, value);
  if (source.neg_hi) value = from_bits<f32>(to_bits<f32>(value) & 0x7FFFFFFFu);
  return source.neg ? from_bits<f32>(to_bits<f32>(value) ^ 0x80000000u) : value;
}
// The fused sum is rounded by f32's field of MODE, then to a half by f16's (LLVM matches fptrunc of an fma).
FMHA950_INLINE Lanes<f16> half_of(V value, uint32_t mode) {
  const auto rounding = numerics::rounding_of_halves(mode);
  if (rounding == numerics::Rounding::nearest_even && rounds_to_nearest()) [[likely]]
    return __builtin_convertvector(value, Lanes<f16>);
  Lanes<u16> codes;
  for (int l = 0; l < wave_lanes; ++l) codes[l] = numerics::f16_from_f32(value[l], false, rounding);
  return __builtin_bit_cast(Lanes<f16>, codes);
}
enum class MixResult { single, low, high };
template <MixResult kind> void fma_mix(Wave& wave, const Instruction& in) {
  const V a = mixed_source(wave, in, 0), b = mixed_source(wave, in, 1), c = mixed_source(wave, in, 2);
  V result = fma<f32>(a, b, c);
  choose_nans(result, a, b, c);
  if (in.clamp) result = clamped<f32>(wave.mode, result);
  result = flushed<f32>(wave.mode, DenormalField::of_results, result);
  uint32_t* destination = wave.lanes(in.dst);
  if constexpr (kind == MixResult::single) return write_vgpr<f32>(destination, result, wave.exec());
  auto halves = halves_of<f16>(load_lanes<u32>(destination));
  const Lanes<f16> rounded = flushed<f16>(wave.mode, DenormalField::of_results, half_of(result, wave.mode));
  (kind == MixResult::low ? halves.low : halves.high) = rounded;
  write_vgpr<u32>(destination, packed_of(halves), wave.exec());
}

template <MixResult kind> constexpr Row fma_mix_row(const char* mnemonic) {
  constexpr uint8_t written = kind == MixResult::single ? one_word
                              : kind == MixResult::low  ? low_half
                                                        : high_half;
  ValuFacts facts = whole_registers(ValuClass::plain, ValuFlow::mixed);
  facts.writes = written;
  return valu_row({mnemonic, fma_mix<kind>, {}, ModeField::f32, true}, facts);
}
constexpr Row dot(const char* mnemonic, Execute execute) {
  return valu_row({mnemonic, execute}, whole_registers(ValuClass::dot, ValuFlow::together));
}
constexpr Row accumulating_dot(const char* mnemonic, Execute execute) {
  Row row = dot(mnemonic, execute);
  row.valu.accumulates = true;
  return row;
}

// The dot products ignore MODE: a guess, the guide says nothing.
constexpr Row table[] = {
    dot("v_dot2_f32_f16", float_dot2<false, false>),
    dot("v_dot2_f32_bf16", float_dot2<true, false>),
    accumulating_dot("v_dot2c_f32_f16", float_dot2<false, true>),
    accumulating_dot("v_dot2c_f32_bf16", float_dot2<true, true>),
    dot("v_dot2_i32_i16", integer_dots<16, true, false>),
    dot("v_dot2_u32_u16", integer_dots<16, false, false>),
    dot("v_dot4_i32_i8", integer_dots<8, true, false>),
    dot("v_dot4_u32_u8", integer_dots<8, false, false>),
    dot("v_dot8_i32_i4", integer_dots<4, true, false>),
    dot("v_dot8_u32_u4", integer_dots<4, false, false>),
    accumulating_dot("v_dot2c_i32_i16", integer_dots<16, true, true>),
    accumulating_dot("v_dot4c_i32_i8", integer_dots<8, true, true>),
    accumulating_dot("v_dot8c_i32_i4", integer_dots<4, true, true>),
    fma_mix_row<MixResult::single>("v_fma_mix_f32"),
    fma_mix_row<MixResult::low>("v_fma_mixlo_f16"),
    fma_mix_row<MixResult::high>("v_fma_mixhi_f16"),
};

} // namespace

const Rows rows_packed_dot = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
