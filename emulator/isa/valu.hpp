#pragma once
// Rows of VALU instructions. A signature of tags (operand.hpp) says how operands are fetched and the result
// is written; the body works on whole 64-lane values:
//
//   valu<f32(f32, f32)>("v_add_f32", [](auto a, auto b) { return a + b; })
//   compare<f32, f32>("v_cmp_lt_f32", Relation::less, [](auto a, auto b) { return a < b; })
//
// Explicit sources come first, in encoding order; implicit ones (old<T>, vcc) last. A mask or vcc source is a
// uint64_t, every other one Lanes<T>.

#include "emulator/isa/nan.hpp"
#include "emulator/isa/operand.hpp"

#include <utility>

namespace fmha950::isa::FMHA950_SIMD {

// How a tag's source is found and read, and its result written. `is_word`: the short way through an instruction of
// plain words takes it.
template <class Tag> struct Access {
  static constexpr bool is_word = sizeof(typename Operand<Tag>::Lane) == 4;
  FMHA950_INLINE static auto read_plain(const Wave& wave, const Instruction& in, int operand) {
    return FMHA950_SIMD::read_plain<Tag>(wave, in.src[operand]);
  }
  FMHA950_INLINE static const uint32_t* find(const Wave& wave, const Instruction& in, int operand,
                                             Scratch& scratch) {
    return locate<Tag>(wave, in, operand, scratch);
  }
  FMHA950_INLINE static auto read(const Wave&, const Instruction&, int, const uint32_t* registers) {
    return read_vgpr<typename Operand<Tag>::Lane>(registers);
  }
  template <class Value> FMHA950_INLINE static void put(Wave& wave, const Instruction& in, Value value) {
    store<Tag>(wave, in, value);
  }
};
struct NotInVgprs {
  static constexpr bool is_word = false;
  FMHA950_INLINE static const uint32_t* find(const Wave&, const Instruction&, int, Scratch&) {
    return nullptr;
  }
};
template <> struct Access<mask> : NotInVgprs {
  FMHA950_INLINE static uint64_t read(const Wave& wave, const Instruction& in, int operand, const uint32_t*) {
    return scalar_bits(wave, in.src[operand], true);
  }
};
template <> struct Access<vcc> : NotInVgprs {
  FMHA950_INLINE static uint64_t read(const Wave& wave, const Instruction&, int, const uint32_t*) {
    return wave.vcc();
  }
};
template <class T> struct Access<old<T>> {
  static constexpr bool is_word = Access<T>::is_word;
  FMHA950_INLINE static auto read_plain(const Wave& wave, const Instruction& in, int) {
    return load_lanes<T>(wave.lanes(in.dst));
  }
  FMHA950_INLINE static const uint32_t* find(const Wave& wave, const Instruction& in, int, Scratch& scratch) {
    if constexpr (Operand<T>::is_float) {
      if (in.has_modifiers()) [[unlikely]] {
        fetch_destination(wave, in, sizeof(T), scratch);
        return scratch.registers;
      }
    }
    return wave.lanes(in.dst);
  }
  FMHA950_INLINE static auto read(const Wave&, const Instruction&, int, const uint32_t* registers) {
    return read_vgpr<T>(registers);
  }
};
template <> struct Access<pair> {
  static constexpr bool is_word = false;
  FMHA950_INLINE static const uint32_t* find(const Wave& wave, const Instruction& in, int operand,
                                             Scratch& scratch) {
    return locate<u64>(wave, in, operand, scratch);
  }
  FMHA950_INLINE static Pair read(const Wave&, const Instruction&, int, const uint32_t* registers) {
    return {load_lanes<u32>(registers), load_lanes<u32>(registers + wave_lanes)};
  }
  FMHA950_INLINE static void put(Wave& wave, const Instruction& in, Pair value) {
    const uint64_t lanes = lanes_written(wave, in);
    write_vgpr<u32>(wave.lanes(in.dst), value.low, lanes);
    write_vgpr<u32>(wave.lanes(in.dst + 1), value.high, lanes);
  }
};
template <class T> struct Access<raw<T>> : Access<T> {};
template <class T> struct Access<half<T>> {
  static constexpr bool is_word = false;
  FMHA950_INLINE static void put(Wave& wave, const Instruction& in, Lanes<T> value) {
    store<T, true>(wave, in, value);
  }
};
template <class T> struct Access<carry<T>> {
  static constexpr bool is_word = false;
  FMHA950_INLINE static void put(Wave& wave, const Instruction& in, WithMask<T> result) {
    store<T>(wave, in, result.value);
    wave.set_sgpr64(in.sdst, result.mask & lanes_written(wave, in));
  }
};

// Calls `body` with the sources of the instruction.
template <class... Tags, class Body, int... operand>
FMHA950_INLINE auto with_sources(const Wave& wave, const Instruction& in, Body body,
                                 std::integer_sequence<int, operand...>) {
  Scratch scratch[sizeof...(Tags)];
  const uint32_t* const registers[] = {Access<Tags>::find(wave, in, operand, scratch[operand])...};
  return body(Access<Tags>::read(wave, in, operand, registers[operand])...);
}
template <class... Tags, class Body>
FMHA950_INLINE auto with_sources(const Wave& wave, const Instruction& in, Body body) {
  return with_sources<Tags...>(wave, in, body, std::make_integer_sequence<int, sizeof...(Tags)>{});
}

// The short way of the most frequent case: plain words, and all lanes on. It needs no stack, as nothing that it calls
// is a function of its own. False: nothing was written, and the long way has to be gone.
template <class Result, class... Tags, class Body, int... operand>
FMHA950_INLINE bool execute_plain(Wave& wave, const Instruction& in, Body body,
                                  std::integer_sequence<int, operand...>) {
  if (!in.plain_words || wave.exec() != ~uint64_t{0}) return false;
  const auto result = body(Access<Tags>::read_plain(wave, in, operand)...);
  if constexpr (Operand<Result>::computes_floats) {
    if (has_nan(result)) [[unlikely]]
      return false;
  }
  store_lanes(wave.lanes(in.dst), result);
  return true;
}
template <class Result, class... Tags, class Body>
FMHA950_INLINE bool execute_plain(Wave& wave, const Instruction& in, Body body) {
  if constexpr (Access<Result>::is_word && (Access<Tags>::is_word && ...))
    return execute_plain<Result, Tags...>(wave, in, body, std::make_integer_sequence<int, sizeof...(Tags)>{});
  else
    return false;
}

// What checks and rates want to know of a signature. A source of 16 bits is a half of its register.
template <class Tag> constexpr bool keeps_rest = false;
template <class T> constexpr bool keeps_rest<half<T>> = true;
template <class Tag> constexpr bool carries = false;
template <class T> constexpr bool carries<carry<T>> = true;
template <class Tag> constexpr bool is_old = false;
template <class T> constexpr bool is_old<old<T>> = true;
template <class Tag> constexpr int size_of = sizeof(typename Operand<Tag>::Lane);

template <class Result, class... Tags> constexpr ValuFacts valu_facts() {
  ValuFacts facts{
      .kind = ValuClass::plain,
      .flow = ValuFlow::together,
      .writes = size_of<Result> == 2   ? low_half
                : size_of<Result> == 8 ? all_bytes
                                       : one_word,
      .reads = {all_bytes, all_bytes, all_bytes},
      .widest = size_of<Result> == 8 || ((size_of<Tags> == 8) || ...) ? uint8_t{2} : uint8_t{1},
      .keeps_rest = keeps_rest<Result>,
      .accumulates = (is_old<Tags> || ...),
      .takes_mask = (__is_same(Tags, mask) || ...),
      .takes_vcc = (__is_same(Tags, vcc) || ...),
      .carries = carries<Result>,
  };
  int source = 0;
  const auto add = [&](bool is_half) {
    if (source < 3) facts.reads[source++] = is_half ? low_half : all_bytes;
  };
  (add(size_of<Tags> == 2), ...);
  return facts;
}

struct NoBody {};

// `Saturated` is the body when the instruction's clamp bit is set: integer results saturate inside it, floats
// are clamped after it (store_modified).
template <class Signature, class Body, class Saturated> struct Valu;
template <class Result, class... Tags, class Body, class Saturated>
struct Valu<Result(Tags...), Body, Saturated> {
  static void execute(Wave& wave, const Instruction& in) {
    if (execute_plain<Result, Tags...>(wave, in, Body{})) [[likely]]
      return;
    [[clang::musttail]] return execute_any(wave, in);
  }
  [[gnu::noinline]] static void execute_any(Wave& wave, const Instruction& in) {
    const auto result = with_sources<Tags...>(
        wave, in, [&in](auto... sources) __attribute__((always_inline)) { return compute(in, sources...); });
    Access<Result>::put(wave, in, result);
  }
  static constexpr Row row(const char* mnemonic) {
    Row row{mnemonic, &execute};
    int operand = 0;
    const auto set = [&](bool implicit, ConstantType type) {
      if (!implicit && operand < 3) row.constant[operand++] = type;
    };
    (set(Operand<Tags>::is_implicit, Operand<Tags>::constant), ...);
    row.rounding = rounding_of<Result>();
    row.flushes = Operand<Result>::is_float || (Operand<Tags>::is_float || ...);
    row.valu = valu_facts<Result, Tags...>();
    return row;
  }

 private:
  template <class... Values> FMHA950_INLINE static auto compute(const Instruction& in, Values... values) {
    if constexpr (!__is_same(Saturated, NoBody)) {
      if (in.clamp) [[unlikely]]
        return Saturated{}(values...);
    } else if constexpr (Operand<Result>::numeric != Numeric::floating) {
      if (in.clamp) [[unlikely]]
        machine::raise_fault("integer clamp is not defined for this instruction");
    }
    auto result = Body{}(values...);
    if constexpr (Operand<Result>::computes_floats) choose_nans(result, values...);
    return result;
  }
};

template <class Signature, class Body> constexpr Row valu(const char* mnemonic, Body) {
  return Valu<Signature, Body, NoBody>::row(mnemonic);
}
template <class Signature, class Body, class Saturated>
constexpr Row valu(const char* mnemonic, Body, Saturated) {
  return Valu<Signature, Body, Saturated>::row(mnemonic);
}

// v_cmp_*: the mask goes to VCC or an SGPR pair, inactive lanes 0.
// v_cmpx_* also writes EXEC (ISA guide, VOPC).
template <bool writes_exec, class Body, class... Tags> struct Compare {
  static void execute(Wave& wave, const Instruction& in) {
    const uint64_t result = with_sources<Tags...>(wave, in, Body{}) & lanes_written(wave, in);
    wave.set_sgpr64(in.sdst, result);
    if constexpr (writes_exec) wave.set_exec(result);
  }
};
template <class Tag> constexpr Comparison::Numbers numbers_of() {
  switch (Operand<Tag>::numeric) {
  case Numeric::floating: return Comparison::Numbers::floating;
  case Numeric::signed_integer: return Comparison::Numbers::with_sign;
  case Numeric::unsigned_integer: return Comparison::Numbers::without_sign;
  }
}
template <bool writes_exec, class Body, class First, class Second>
constexpr Row compare_row(const char* mnemonic, Relation relation) {
  Row row{mnemonic,
          &Compare<writes_exec, Body, First, Second>::execute,
          {Operand<First>::constant, Operand<Second>::constant},
          ModeField::none,
          Operand<First>::is_float || Operand<Second>::is_float};
  row.valu = valu_facts<u32, First, Second>();
  row.valu.flow = ValuFlow::compare;
  row.comparison = {relation, numbers_of<First>(), static_cast<uint8_t>(8 * size_of<First>), writes_exec};
  return row;
}
template <class First, class Second, class Body>
constexpr Row compare(const char* mnemonic, Relation relation, Body) {
  return compare_row<false, Body, First, Second>(mnemonic, relation);
}
template <class First, class Second, class Body>
constexpr Row compare_exec(const char* mnemonic, Relation relation, Body) {
  return compare_row<true, Body, First, Second>(mnemonic, relation);
}

} // namespace fmha950::isa::FMHA950_SIMD
