#pragma once
// The machinery of scalar ALU rows. A row's signature says how operands are fetched and written; its body
// takes the wave (for SCC) and the operands.

#include "emulator/isa/operand.hpp"

#include <cstdint>
#include <type_traits>

namespace fmha950::isa::FMHA950_SIMD {
namespace {

template <class T> FMHA950_INLINE T scalar(const Wave& wave, const Source& source) {
  return static_cast<T>(scalar_bits(wave, source, sizeof(T) == 8));
}

template <class T> [[gnu::always_inline]] inline void write_scalar(Wave& wave, int code, T value) {
  if constexpr (sizeof(T) == 8)
    wave.set_sgpr64(code, static_cast<uint64_t>(value));
  else
    wave.sgpr[code] = static_cast<uint32_t>(value);
}

// What a result does to SCC; bodies may also write wave.scc themselves.
enum class Scc { untouched, nonzero };
constexpr Scc nonzero = Scc::nonzero;

template <Scc scc, class R, class A, class Body> void execute_unary(Wave& wave, const Instruction& in) {
  const R result = static_cast<R>(Body{}(wave, scalar<A>(wave, in.src[0])));
  write_scalar<R>(wave, in.dst, result);
  if constexpr (scc == Scc::nonzero) wave.scc = result != 0;
}
template <Scc scc, class R, class A, class B, class Body>
void execute_binary(Wave& wave, const Instruction& in) {
  const R result = static_cast<R>(Body{}(wave, scalar<A>(wave, in.src[0]), scalar<B>(wave, in.src[1])));
  write_scalar<R>(wave, in.dst, result);
  if constexpr (scc == Scc::nonzero) wave.scc = result != 0;
}
template <class A, class B, class Body> void execute_compare(Wave& wave, const Instruction& in) {
  wave.scc = Body{}(scalar<A>(wave, in.src[0]), scalar<B>(wave, in.src[1]));
}
// SOPK: the destination is also the first operand, the sign-extended immediate the second.
template <class T, class Body> void execute_immediate(Wave& wave, const Instruction& in) {
  write_scalar<T>(wave, in.dst,
                  static_cast<T>(Body{}(wave, static_cast<T>(wave.sgpr[in.dst]), static_cast<T>(in.simm16))));
}
template <class T, class Body> void execute_compare_immediate(Wave& wave, const Instruction& in) {
  const T immediate = std::is_signed_v<T> ? static_cast<T>(in.simm16) : static_cast<T>(in.simm16 & 0xFFFF);
  wave.scc = Body{}(static_cast<T>(wave.sgpr[in.dst]), immediate);
}

template <class T>
constexpr ConstantType constant_of = sizeof(T) == 8 ? ConstantType::i64 : ConstantType::b32;

template <class R, class A, Scc scc = Scc::untouched, class Body>
constexpr Row unary(const char* mnemonic, Body) { // of one source there is no Arithmetic
  return computes(Arithmetic::other,
                  in_role(ScalarRole::plain, {mnemonic, execute_unary<scc, R, A, Body>, {constant_of<A>}}));
}
template <class R, class A, class B, Scc scc = Scc::untouched, class Body>
constexpr Row binary(const char* mnemonic, Body) {
  return in_role(ScalarRole::plain,
                 {mnemonic, execute_binary<scc, R, A, B, Body>, {constant_of<A>, constant_of<B>}});
}
constexpr Row comparing(Relation relation, bool with_sign, size_t bytes, Row row) {
  const auto numbers = with_sign ? Comparison::Numbers::with_sign : Comparison::Numbers::without_sign;
  row.comparison = {.relation = relation, .numbers = numbers, .bits = static_cast<uint8_t>(8 * bytes)};
  return in_role(ScalarRole::plain, row);
}
template <class A, class B = A, class Body>
constexpr Row compare(const char* mnemonic, Relation relation, Body) {
  return comparing(relation, std::is_signed_v<A>, sizeof(A),
                   {mnemonic, execute_compare<A, B, Body>, {constant_of<A>, constant_of<B>}});
}
template <class T, class Body> constexpr Row immediate(const char* mnemonic, Body) {
  return in_role(ScalarRole::plain, {mnemonic, execute_immediate<T, Body>});
}
template <class T, class Body>
constexpr Row compare_immediate(const char* mnemonic, Relation relation, Body) {
  return comparing(relation, std::is_signed_v<T>, sizeof(T), {mnemonic, execute_compare_immediate<T, Body>});
}

} // namespace
} // namespace fmha950::isa::FMHA950_SIMD
