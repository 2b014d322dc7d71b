#pragma once
// What atomic operations compute: apply(old, a, b) is what memory holds afterwards. a and b are the operands
// in register order; most use only a. The same bodies serve LDS, buffer, global and flat.

#include "emulator/isa/access.hpp"
#include "numerics/bf16.hpp"
#include "numerics/fp16.hpp"

namespace fmha950::isa::FMHA950_SIMD {

template <class T> FMHA950_INLINE bool is_nan(T value) { return value != value; }
template <class T> FMHA950_INLINE T quiet_nan() {
  if constexpr (sizeof(T) == 8)
    return __builtin_nan("");
  else
    return __builtin_nanf("");
}
// Sum with NaNs chosen explicitly, so that they do not depend on how the host's compiler orders operands.
template <class T> FMHA950_INLINE T float_sum(T a, T b) {
  const T sum = a + b;
  return is_nan(sum) ? quiet_nan<T>() : sum;
}
// A number beats a NaN.
template <class T> FMHA950_INLINE T float_min(T a, T b) { return is_nan(a) || b < a ? b : a; }
template <class T> FMHA950_INLINE T float_max(T a, T b) { return is_nan(a) || b > a ? b : a; }
template <class T, class Bits, T (*function)(T, T)> FMHA950_INLINE Bits on_bits(Bits a, Bits b) {
  return __builtin_bit_cast(Bits, function(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b)));
}

// Which denormals an operation keeps, as in MODE[7:4]: bits 0 (operands) and 1 (result) for f32, 2 and 3 for
// 16 bits. LDS obeys MODE; L2 flushes in f32 adds only (machine_gfx950.md section 4.2).
enum Denormals : uint32_t { keep_operands = 1, keep_result = 2, of_l2 = 0b1100 };
template <uint32_t ExponentMask, uint32_t SignMask>
FMHA950_INLINE uint32_t flush_unless(bool keep, uint32_t bits) {
  return keep || bits & ExponentMask ? bits : bits & SignMask;
}
template <class Format> FMHA950_INLINE uint32_t add_denormals(uint32_t a, uint32_t b, uint32_t keep) {
  a = flush_unless<Format::exponent, Format::sign>(keep & keep_operands, a);
  b = flush_unless<Format::exponent, Format::sign>(keep & keep_operands, b);
  return flush_unless<Format::exponent, Format::sign>(keep & keep_result, Format::add(a, b));
}
struct F32 {
  static constexpr uint32_t exponent = 0x7F800000, sign = 0x80000000;
  FMHA950_INLINE static uint32_t add(uint32_t a, uint32_t b) {
    return on_bits<float, uint32_t, float_sum>(a, b);
  }
};
// The f32 sum of two 11-bit (8-bit) significands rounds once more without harm: 24 >= 2*11 + 2.
struct F16 {
  static constexpr uint32_t exponent = 0x7C00, sign = 0x8000;
  FMHA950_INLINE static uint32_t add(uint32_t a, uint32_t b) {
    return numerics::f16_from_f32(float_sum(numerics::f32_from_f16(static_cast<uint16_t>(a)),
                                            numerics::f32_from_f16(static_cast<uint16_t>(b))));
  }
};
struct Bf16 {
  static constexpr uint32_t exponent = 0x7F80, sign = 0x8000;
  FMHA950_INLINE static uint32_t add(uint32_t a, uint32_t b) {
    return numerics::bf16_from_f32(float_sum(numerics::f32_from_bf16(static_cast<uint16_t>(a)),
                                             numerics::f32_from_bf16(static_cast<uint16_t>(b))));
  }
};
template <class Format> FMHA950_INLINE uint32_t add_halves(uint32_t a, uint32_t b, uint32_t keep) {
  return add_denormals<Format>(a & 0xFFFF, b & 0xFFFF, keep >> 2) |
         add_denormals<Format>(a >> 16, b >> 16, keep >> 2) << 16;
}

#define FMHA950_ATOMIC(Name, expression)                                                                     \
  struct Name {                                                                                              \
    template <class T>                                                                                       \
    FMHA950_INLINE static T apply([[maybe_unused]] T old, T a, [[maybe_unused]] T b,                         \
                                  [[maybe_unused]] uint32_t keep) {                                          \
      return static_cast<T>(expression);                                                                     \
    }                                                                                                        \
  };
template <class T> using Signed = std::make_signed_t<T>;

FMHA950_ATOMIC(Swap, a)
FMHA950_ATOMIC(Add, old + a)
FMHA950_ATOMIC(Subtract, old - a)
FMHA950_ATOMIC(SubtractReversed, a - old)
FMHA950_ATOMIC(And, old& a)
FMHA950_ATOMIC(Or, old | a)
FMHA950_ATOMIC(Xor, old ^ a)
FMHA950_ATOMIC(MinUnsigned, a < old ? a : old)
FMHA950_ATOMIC(MaxUnsigned, a > old ? a : old)
FMHA950_ATOMIC(MinSigned, static_cast<Signed<T>>(a) < static_cast<Signed<T>>(old) ? a : old)
FMHA950_ATOMIC(MaxSigned, static_cast<Signed<T>>(a) > static_cast<Signed<T>>(old) ? a : old)
FMHA950_ATOMIC(Increment, old >= a ? 0 : old + 1)
FMHA950_ATOMIC(Decrement, old == 0 || old > a ? a : old - 1)
FMHA950_ATOMIC(MaskOr, (old & ~a) | b)
FMHA950_ATOMIC(Wrap, old >= a ? old - a : old + b)
// Vector memory has the new value first, LDS the value to compare
// (ISA guide, BUFFER_ATOMIC_CMPSWAP and DS_CMPST).
FMHA950_ATOMIC(CompareSwap, old == b ? a : old)
FMHA950_ATOMIC(CompareStore, old == a ? b : old)
FMHA950_ATOMIC(CompareStoreF32, __builtin_bit_cast(float, old) == __builtin_bit_cast(float, a) ? b : old)
FMHA950_ATOMIC(CompareStoreF64, __builtin_bit_cast(double, old) == __builtin_bit_cast(double, a) ? b : old)
FMHA950_ATOMIC(AddF32, add_denormals<F32>(old, a, keep))
FMHA950_ATOMIC(AddF64, (on_bits<double, uint64_t, float_sum>(old, a)))
FMHA950_ATOMIC(MinF32, (on_bits<float, uint32_t, float_min>(old, a)))
FMHA950_ATOMIC(MaxF32, (on_bits<float, uint32_t, float_max>(old, a)))
FMHA950_ATOMIC(MinF64, (on_bits<double, uint64_t, float_min>(old, a)))
FMHA950_ATOMIC(MaxF64, (on_bits<double, uint64_t, float_max>(old, a)))
FMHA950_ATOMIC(AddPackedF16, add_halves<F16>(old, a, keep))
FMHA950_ATOMIC(AddPackedBf16, add_halves<Bf16>(old, a, keep))
#undef FMHA950_ATOMIC

// Operand `which` of lane l, and where the old value goes back to: one register for 32 bits, two for 64.
template <class T> FMHA950_INLINE T operand(const Access& access, int which, int l) {
  if constexpr (sizeof(T) == 4)
    return access.data[which][l];
  else
    return access.data[2 * which][l] | static_cast<uint64_t>(access.data[2 * which + 1][l]) << 32;
}
template <class T> FMHA950_INLINE void set_operand(Access& access, int which, int l, T value) {
  if constexpr (sizeof(T) == 4) {
    access.data[which][l] = value;
  } else {
    access.data[2 * which][l] = static_cast<uint32_t>(value);
    access.data[2 * which + 1][l] = static_cast<uint32_t>(value >> 32);
  }
}

// Atomics need natural alignment (DESIGN.md section 5 item 5 asks for a report).
template <class T> FMHA950_INLINE void check_alignment(uint64_t address) {
  if (address % sizeof(T)) [[unlikely]]
    machine::raise_misaligned(sizeof(T) == 8 ? "a 64-bit atomic needs an address aligned to 8 bytes"
                                             : "a 32-bit atomic needs an address aligned to 4 bytes");
}

// Device memory: workgroups run on several host threads, so each lane is a host atomic. Lanes out of range
// change nothing and return 0.
template <class T, class Op> FMHA950_SHARED void memory_atomic(Wave&, Access& access) {
  for_each_lane(access.lanes, [&](int l) {
    T old = 0;
    if (access.valid >> l & 1) {
      auto* memory = reinterpret_cast<T*>(access.address[l]);
      const T a = operand<T>(access, 0, l), b = operand<T>(access, 1, l);
      old = __atomic_load_n(memory, __ATOMIC_RELAXED);
      while (!__atomic_compare_exchange_n(memory, &old, Op::template apply<T>(old, a, b, of_l2), true,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      }
    }
    set_operand<T>(access, 0, l, old);
  });
}

template <class T> FMHA950_SHARED void check_lds_alignment(const Access& access, uint32_t offset) {
  for_each_lane(access.lanes, [&](int l) { check_alignment<T>(access.lds_address[l] + offset); });
}

// LDS, lane after lane.
template <class T, class Op> FMHA950_INLINE void lds_atomic_at(Wave& wave, Access& access, uint32_t offset) {
  const uint32_t keep = wave.mode >> 4 & 15;
  for_each_lane(access.lanes, [&](int l) {
    const uint32_t address = access.lds_address[l] + offset;
    T old = 0;
    if (address + uint64_t{sizeof(T)} <= wave.workgroup->lds_bytes) {
      uint8_t* memory = wave.workgroup->lds + address;
      old = read_bytes<T>(memory);
      write_bytes(memory,
                  Op::template apply<T>(old, operand<T>(access, 0, l), operand<T>(access, 1, l), keep));
    }
    set_operand<T>(access, 0, l, old);
  });
}

} // namespace fmha950::isa::FMHA950_SIMD
