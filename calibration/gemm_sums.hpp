#pragma once
// Where a wave's sums are kept: COUNT accumulators of one matrix instruction.

#include "calibration/gemm_multiply.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::calibration {

// In registers of the compiler's choice, for waves with 256.
template <class Product, int COUNT> class SumsInVariables {
 public:
  using Accumulator = typename Product::Accumulator;

  template <int N, class Operand> FMHA950_INLINE void add(Operand a, Operand b) {
    Product::add(a, b, sums_[N]);
  }
  // These sums are complete where this stands, and in the registers they were in.
  template <int FIRST, int NUMBER> FMHA950_INLINE void keep() {
    unrolled<NUMBER>([&](auto n) { pin(sums_[FIRST + n]); });
  }
  FMHA950_INLINE void settle() {}
  template <int N> FMHA950_INLINE Accumulator value() const { return sums_[N]; }

 private:
  Accumulator sums_[COUNT] = {};
};

// Sums in the accumulation registers from a0 on, by number. They fill half of the wave's 512 registers.
// clang 22 has no way to ask for that; where it chooses by itself it copies sums to and fro in the
// loop. It knows nothing of what these instructions leave in the registers; it does not use them for anything
// else as long as it needs no more than 256 others.
template <class Product, int COUNT> class SumsInAgprs {
 public:
  using Accumulator = Float4;
  static_assert(__is_same(typename Product::Accumulator, Float4) && 4 * COUNT == 256);

  FMHA950_INLINE SumsInAgprs() {
    asm volatile("v_accvgpr_write_b32 a255, 0" ::: "a255"); // the kernel's registers go up to here
    unrolled<255>([](auto n) { asm volatile("v_accvgpr_write_b32 a[%0], 0" ::"n"(int(n))); });
  }

  template <int N> FMHA950_INLINE void add(Word4 a, Word4 b) {
    static_assert(__is_same(Product, Bf16x16));
    asm volatile("v_mfma_f32_16x16x32_bf16 a[%0:%1], %2, %3, a[%0:%1]" ::"n"(4 * N), "n"(4 * N + 3), "v"(a),
                 "v"(b));
  }
  template <int N> FMHA950_INLINE void add(Word8 a, Word8 b) {
    static_assert(__is_same(Product, Fp8x16));
    asm volatile("v_mfma_f32_16x16x128_f8f6f4 a[%0:%1], %2, %3, a[%0:%1]" ::"n"(4 * N), "n"(4 * N + 3),
                 "v"(a), "v"(b));
  }
  template <int FIRST, int NUMBER> FMHA950_INLINE void keep() {}
  // Results of matrix instructions of 8 passes may be read from here on (mfma_gfx950.md section 5.2).
  FMHA950_INLINE void settle() { asm volatile("s_nop 11" ::: "memory"); }
  template <int N> FMHA950_INLINE Accumulator value() const {
    Accumulator sums;
    unrolled<4>([&](auto i) {
      float sum;
      asm volatile("v_accvgpr_read_b32 %0, a[%1]" : "=v"(sum) : "n"(4 * N + i));
      sums[int(i)] = sum;
    });
    return sums;
  }
};

} // namespace fmha950::calibration
