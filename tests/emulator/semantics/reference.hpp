#pragma once
// What a VALU instruction computes per lane, as scalar code for the host: the expected values of the fuzzer
// (fuzzer.hpp). The tables of references (*_references.cpp) are compiled by GCC where there is one, so that
// no expected value comes from the compiler of the device, and with -frounding-math: the host's rounding
// direction is MODE's while a reference runs.
//
//   reference<f32(f32, f32)>("v_add_f32", [](f32 a, f32 b) { return a + b; })
//
// Modifiers (neg, abs, op_sel, DPP, SDWA, omod, the clamp of floats) and the flushing of denormals are the
// fuzzer's. Written from the ISA guide, chapter 12. No Catch2 and no LLVM here.

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace fmha950::semantics {

using f16 = _Float16;
using f32 = float;
using f64 = double;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
struct b32 { // bits that know neg and abs but are never flushed
  u32 bits;
};
struct carry { // a source: this lane's bit of VCC or an SGPR pair
  bool bit;
};
template <class T> struct old { // the destination before
  T value;
};
template <class T> struct half { // a result that keeps the other half of its register
  T value;
};
template <class T> struct with_carry {
  T value;
  bool carry_out;
};

enum class Type : uint8_t { none, u16, i16, f16, u32, i32, f32, b32, u64, i64, f64, carry, boolean };
constexpr bool is_float(Type t) { return t == Type::f16 || t == Type::f32 || t == Type::f64; }
constexpr bool is_signed(Type t) { return t == Type::i16 || t == Type::i32 || t == Type::i64; }
constexpr int bytes_of(Type t) {
  if (t == Type::u16 || t == Type::i16 || t == Type::f16) return 2;
  return t == Type::u64 || t == Type::i64 || t == Type::f64 ? 8 : 4;
}

struct Arguments {
  uint64_t source[3] = {}; // bits, by position in the signature; carry: 0 or 1
  uint64_t old = 0;        // the destination
};
struct Outcome {
  uint64_t value = 0;
  bool mask = false; // comparison, carry out
  bool operator==(const Outcome&) const = default;
};
using Compute = Outcome (*)(const Arguments&);

struct Reference {
  const char* mnemonic;
  Type result;
  std::array<Type, 3> source = {}; // explicit ones and a carry, in order; Type::none behind the last
  Compute compute;
  Compute clamped = nullptr; // integers: with the clamp bit
  bool reads_old = false, keeps_half = false, carries_out = false;
  bool obeys_mode = true;  // MODE's rounding and denormal fields
  bool has_op_sel = false; // 16-bit VOP3 forms
  bool packed = false;     // VOP3P: the signature is of one half (of one register, for f32)
};

// --- how a signature becomes a Reference ---

template <class T> struct TypeOf;
template <> struct TypeOf<u16> {
  static constexpr Type value = Type::u16;
};
template <> struct TypeOf<i16> {
  static constexpr Type value = Type::i16;
};
template <> struct TypeOf<f16> {
  static constexpr Type value = Type::f16;
};
template <> struct TypeOf<u32> {
  static constexpr Type value = Type::u32;
};
template <> struct TypeOf<i32> {
  static constexpr Type value = Type::i32;
};
template <> struct TypeOf<f32> {
  static constexpr Type value = Type::f32;
};
template <> struct TypeOf<b32> {
  static constexpr Type value = Type::b32;
};
template <> struct TypeOf<u64> {
  static constexpr Type value = Type::u64;
};
template <> struct TypeOf<i64> {
  static constexpr Type value = Type::i64;
};
template <> struct TypeOf<f64> {
  static constexpr Type value = Type::f64;
};
template <> struct TypeOf<carry> {
  static constexpr Type value = Type::carry;
};
template <> struct TypeOf<bool> {
  static constexpr Type value = Type::boolean;
};
template <class T> struct TypeOf<half<T>> : TypeOf<T> {};
template <class T> struct TypeOf<old<T>> {
  static constexpr Type value = Type::none;
};
template <class T> struct TypeOf<with_carry<T>> : TypeOf<T> {};

template <class T> struct IsOld {
  static constexpr bool value = false;
};
template <class T> struct IsOld<old<T>> {
  static constexpr bool value = true;
};

template <class T> T from_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> uint64_t to_bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T> struct Argument {
  static T get(const Arguments& in, size_t operand) { return from_bits<T>(in.source[operand]); }
};
template <> struct Argument<carry> {
  static carry get(const Arguments& in, size_t operand) { return {in.source[operand] != 0}; }
};
template <class T> struct Argument<old<T>> {
  static old<T> get(const Arguments& in, size_t) { return {from_bits<T>(in.old)}; }
};

inline Outcome outcome_of(bool value) { return {0, value}; }
template <class T> Outcome outcome_of(T value) { return {to_bits(value), false}; }
template <class T> Outcome outcome_of(half<T> result) { return {to_bits(result.value), false}; }
template <class T> Outcome outcome_of(with_carry<T> result) {
  return {to_bits(result.value), result.carry_out};
}

// Sources stand in encoding order, an `old` behind them.
template <class Signature> struct FromSignature;
template <class Result, class... Sources> struct FromSignature<Result(Sources...)> {
  template <class Body> static Outcome compute(const Arguments& in) {
    return [&]<size_t... operand>(std::index_sequence<operand...>) {
      return outcome_of(Result(Body{}(Argument<Sources>::get(in, operand)...)));
    }(std::index_sequence_for<Sources...>{});
  }
  template <class Body> static Reference make(const char* mnemonic, Body) {
    Reference r{};
    r.mnemonic = mnemonic;
    r.result = TypeOf<Result>::value;
    size_t operand = 0;
    (void(IsOld<Sources>::value ? r.reads_old = true : (r.source[operand++] = TypeOf<Sources>::value, true)),
     ...);
    r.compute = compute<Body>;
    return r;
  }
};
template <class T> struct IsHalf {
  static constexpr bool value = false;
};
template <class T> struct IsHalf<half<T>> {
  static constexpr bool value = true;
};
template <class T> struct HasCarry {
  static constexpr bool value = false;
};
template <class T> struct HasCarry<with_carry<T>> {
  static constexpr bool value = true;
};
template <class Signature> struct ResultOf;
template <class Result, class... Sources> struct ResultOf<Result(Sources...)> {
  using type = Result;
};

template <class Signature, class Body> Reference reference(const char* mnemonic, Body body) {
  Reference r = FromSignature<Signature>::make(mnemonic, body);
  r.keeps_half = r.has_op_sel = IsHalf<typename ResultOf<Signature>::type>::value;
  r.carries_out = HasCarry<typename ResultOf<Signature>::type>::value;
  return r;
}
template <class Signature, class Body, class Clamped>
Reference reference(const char* mnemonic, Body body, Clamped clamped) {
  Reference r = reference<Signature>(mnemonic, body);
  r.clamped = FromSignature<Signature>::make(mnemonic, clamped).compute;
  return r;
}
inline Reference mode_free(Reference r) {
  r.obeys_mode = false;
  return r;
}
inline Reference with_op_sel(Reference r) {
  r.has_op_sel = true;
  return r;
}
inline Reference packed(Reference r) {
  r.packed = true;
  return r;
}

// A float of that type times 2^exponent (omod).
uint64_t scaled(Type type, uint64_t bits, int exponent);

using References = std::vector<Reference>;
References float_references();
References integer_references();
References compare_references();
References convert_references();
References packed_references();
References scalar_references(); // carry: SCC

} // namespace fmha950::semantics
