// Packed arithmetic: two f16 or 16-bit integers per register, two f32 per register pair (ISA guide, VOP3P).

#include "emulator/isa/packed.hpp"
#include "emulator/isa/families.hpp"
#include "emulator/isa/integer_math.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

// Body and Saturated work on the 64 lanes of one half; Saturated is the body when clamp is set.
template <class T, class Body, class Saturated, int... operand>
FMHA950_INLINE void run(Wave& wave, const Instruction& in, Halves<T> (&source)[sizeof...(operand)],
                        std::integer_sequence<int, operand...>) {
  Halves<T> result;
  if constexpr (__is_same(T, f16)) {
    result = {Body{}(source[operand].low...), Body{}(source[operand].high...)};
    choose_nans(result.low, source[operand].low...);
    choose_nans(result.high, source[operand].high...);
    if (in.clamp) [[unlikely]]
      result = {clamped<f16>(wave.mode, result.low), clamped<f16>(wave.mode, result.high)};
    if (in.has_modifiers()) [[unlikely]]
      result = {flushed<f16>(wave.mode, DenormalField::of_results, result.low),
                flushed<f16>(wave.mode, DenormalField::of_results, result.high)};
  } else if (in.clamp) [[unlikely]] {
    result = {Saturated{}(source[operand].low...), Saturated{}(source[operand].high...)};
  } else {
    result = {Body{}(source[operand].low...), Body{}(source[operand].high...)};
  }
  write_vgpr<u32>(wave.lanes(in.dst), packed_of(result), wave.exec());
}
FMHA950_INLINE Lanes<u32> read_destination(const Wave& wave, const Instruction& in) { // of v_pk_fmac_f16
  if (in.extension != Extension::none)
    machine::raise_fault("DPP and SDWA of v_pk_fmac_f16 are not implemented");
  const Lanes<u32> before = load_lanes<u32>(wave.lanes(in.dst));
  return in.has_modifiers() ? flushed_halves(wave.mode, DenormalField::of_operands, before) : before;
}
template <class T, int sources, bool reads_destination, class Body, class Saturated>
void execute(Wave& wave, const Instruction& in) {
  Halves<T> source[sources];
  for (int i = 0; i < sources; ++i) {
    const bool old_destination = reads_destination && i == sources - 1;
    source[i] = halves_of<T>(old_destination ? read_destination(wave, in)
                                             : read_packed<__is_same(T, f16)>(wave, in, i));
  }
  run<T, Body, Saturated>(wave, in, source, std::make_integer_sequence<int, sources>{});
}
template <class T, int sources, bool accumulates, class Body, class Saturated>
constexpr Row halves_row(const char* mnemonic) {
  constexpr ConstantType type = __is_same(T, f16) ? ConstantType::f16 : ConstantType::b32;
  ValuFacts facts = whole_registers(ValuClass::packed, ValuFlow::packed_halves);
  facts.accumulates = accumulates;
  return valu_row({mnemonic,
                   &execute<T, sources, accumulates, Body, Saturated>,
                   {type, type, type},
                   rounding_of<T>(),
                   Operand<T>::is_float},
                  facts);
}
template <class T, int sources, class Body, class Saturated = Body>
constexpr Row packed(const char* mnemonic, Body, Saturated = {}) {
  return halves_row<T, sources, false, Body, Saturated>(mnemonic);
}

// Two f32 in a register pair; op_sel and op_sel_hi pick the register of the pair. A constant is the same for
// both (a guess: clang always clears op_sel_hi for constants).
FMHA950_INLINE Lanes<u32> read_of_pair(const Wave& wave, const Source& source, int which) {
  if (source.kind == Source::Kind::vgpr) [[likely]]
    return load_lanes<u32>(wave.lanes(source.index + which));
  if (source.kind == Source::Kind::sgpr) return Lanes<u32>(wave.sgpr[source.index + which]);
  return Lanes<u32>(static_cast<u32>(scalar_bits(wave, source, false)));
}
template <bool high>
FMHA950_INLINE Lanes<f32> read_single(const Wave& wave, const Instruction& in, int operand) {
  const Source& source = in.src[operand];
  const Lanes<u32> bits = read_of_pair(wave, source, (high ? in.op_sel_hi : in.op_sel) >> operand & 1);
  const auto value = from_bits<f32>(bits ^ ((high ? source.neg_hi : source.neg) ? 0x80000000u : 0u));
  return in.has_modifiers() ? flushed<f32>(wave.mode, DenormalField::of_operands, value) : value;
}
template <bool high, class Body, int... operand>
FMHA950_INLINE Lanes<f32> single_result(const Wave& wave, const Instruction& in,
                                        std::integer_sequence<int, operand...>) {
  const auto apply = [&](auto... values) __attribute__((always_inline)) {
    Lanes<f32> result = Body{}(values...);
    choose_nans(result, values...);
    return result;
  };
  Lanes<f32> result = apply(read_single<high>(wave, in, operand)...);
  if (!in.has_modifiers()) [[likely]]
    return result;
  if (in.clamp) result = clamped<f32>(wave.mode, result);
  return flushed<f32>(wave.mode, DenormalField::of_results, result);
}
template <int sources, class Body> void execute_single(Wave& wave, const Instruction& in) {
  constexpr std::make_integer_sequence<int, sources> operands;
  const Lanes<f32> low = single_result<false, Body>(wave, in, operands);
  const Lanes<f32> high = single_result<true, Body>(wave, in, operands);
  write_vgpr<f32>(wave.lanes(in.dst), low, wave.exec());
  write_vgpr<f32>(wave.lanes(in.dst + 1), high, wave.exec());
}
constexpr Row words_row(Row row, ValuFlow flow) {
  ValuFacts facts = whole_registers(ValuClass::packed, flow);
  facts.writes = all_bytes;
  facts.widest = 2;
  return valu_row(row, facts);
}
template <int sources, class Body> constexpr Row packed_single(const char* mnemonic, Body) {
  return words_row({mnemonic, &execute_single<sources, Body>, {}, ModeField::f32, true},
                   ValuFlow::packed_words);
}

// The low result from the first source, the high one from the second, each by its op_sel bit.
void pk_mov(Wave& wave, const Instruction& in) {
  const Lanes<u32> low = read_of_pair(wave, in.src[0], in.op_sel & 1);
  const Lanes<u32> high = read_of_pair(wave, in.src[1], in.op_sel >> 1 & 1);
  write_vgpr<u32>(wave.lanes(in.dst), low, wave.exec());
  write_vgpr<u32>(wave.lanes(in.dst + 1), high, wave.exec());
}

using H = Lanes<f16>;
using U = Lanes<u16>;
using I = Lanes<i16>;
using V = Lanes<f32>;

constexpr auto pk_fma = [](H a, H b, H c) { return half_fma(a, b, c); };

constexpr Row table[] = {
    packed<f16, 2>("v_pk_add_f16", [](H a, H b) { return a + b; }),
    packed<f16, 2>("v_pk_mul_f16", [](H a, H b) { return a * b; }),
    packed<f16, 3>("v_pk_fma_f16", pk_fma),
    halves_row<f16, 3, true, decltype(pk_fma), NoBody>("v_pk_fmac_f16"),
    packed<f16, 2>("v_pk_min_f16", [](H a, H b) { return minimum<f16>(a, b); }),
    packed<f16, 2>("v_pk_max_f16", [](H a, H b) { return maximum<f16>(a, b); }),
    packed<f16, 3>("v_pk_minimum3_f16",
                   [](H a, H b, H c) { return propagating<f16, false>(propagating<f16, false>(a, b), c); }),
    packed<f16, 3>("v_pk_maximum3_f16",
                   [](H a, H b, H c) { return propagating<f16, true>(propagating<f16, true>(a, b), c); }),

    packed<u16, 2>(
        "v_pk_add_u16", [](U a, U b) { return a + b; },
        [](U a, U b) { return __builtin_elementwise_add_sat(a, b); }),
    packed<u16, 2>(
        "v_pk_sub_u16", [](U a, U b) { return a - b; },
        [](U a, U b) { return __builtin_elementwise_sub_sat(a, b); }),
    packed<i16, 2>(
        "v_pk_add_i16", [](I a, I b) { return as_signed(as_unsigned(a) + as_unsigned(b)); },
        [](I a, I b) { return __builtin_elementwise_add_sat(a, b); }),
    packed<i16, 2>(
        "v_pk_sub_i16", [](I a, I b) { return as_signed(as_unsigned(a) - as_unsigned(b)); },
        [](I a, I b) { return __builtin_elementwise_sub_sat(a, b); }),
    packed<u16, 2>("v_pk_mul_lo_u16", [](U a, U b) { return a * b; }),
    packed<u16, 3>(
        "v_pk_mad_u16", [](U a, U b, U c) { return a * b + c; },
        [](U a, U b, U c) { return saturating_mad(a, b, c); }),
    packed<i16, 3>(
        "v_pk_mad_i16", [](I a, I b, I c) { return wrapping_mad(a, b, c); },
        [](I a, I b, I c) { return saturating_mad(a, b, c); }),
    packed<u16, 2>("v_pk_min_u16", [](U a, U b) { return smaller(a, b); }),
    packed<u16, 2>("v_pk_max_u16", [](U a, U b) { return larger(a, b); }),
    packed<i16, 2>("v_pk_min_i16", [](I a, I b) { return smaller(a, b); }),
    packed<i16, 2>("v_pk_max_i16", [](I a, I b) { return larger(a, b); }),
    packed<u16, 2>("v_pk_lshlrev_b16", [](U a, U b) { return b << (a & 15); }),
    packed<u16, 2>("v_pk_lshrrev_b16", [](U a, U b) { return b >> (a & 15); }),
    packed<i16, 2>("v_pk_ashrrev_i16", [](I a, I b) { return b >> (a & 15); }),

    packed_single<2>("v_pk_add_f32", [](V a, V b) { return a + b; }),
    packed_single<2>("v_pk_mul_f32", [](V a, V b) { return a * b; }),
    wrong_with(0b010, packed_single<3>("v_pk_fma_f32", [](V a, V b, V c) { return fma<f32>(a, b, c); })),
    words_row({"v_pk_mov_b32", pk_mov}, ValuFlow::word_from_each),
};

} // namespace

const Rows rows_packed = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
