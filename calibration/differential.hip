// Instructions whose results the ISA guide defines to the bit, each on many operands: what a GPU and the embedded device must
// agree on. Operands are hashed bits, so NaN, infinities and denormals are among them; every fourth round has small numbers.

#include "calibration/differential_arguments.hpp"
#include "gfx950/kernel.hpp"

namespace fmha950::calibration {

using namespace gfx950;

FMHA950_INLINE uint32_t mixed(uint32_t value) {
  value = (value ^ value >> 16) * 0x7feb352d;
  value = (value ^ value >> 15) * 0x846ca68b;
  return value ^ value >> 16;
}

// 1 to 8 with a sign, as fp32; hashed bits otherwise.
FMHA950_INLINE uint32_t operand(uint32_t number, uint32_t round) {
  const uint32_t bits = mixed(number);
  return round % 4 == 3 ? (bits & 0x80ffffff) | 0x40000000 : bits;
}

template <class Instruction> FMHA950_INLINE void run(const DifferentialArguments& arguments) {
  uint32_t hash = 0;
#pragma nounroll
  for (uint32_t round = 0; round < differential_rounds; ++round) {
    const uint32_t first = (round * 64 + lane_id()) * 6;
    const auto pair = [&](uint32_t n) {
      return operand(first + n, round) | uint64_t{operand(first + n + 1, round)} << 32;
    };
    const uint64_t result = Instruction::run(pair(0), pair(2), pair(4));
    hash = mixed(hash ^ static_cast<uint32_t>(result)) + static_cast<uint32_t>(result >> 32);
  }
  arguments.output[lane_id()] = hash;
}

// %0: the result, all of which is set before; %1 to %3: operands. Four wait states behind it, and before what it reads, are
// more than any of these needs.
#define FMHA950_DIFFERENTIAL(NAME, TYPE, TEXT)                                                               \
  struct Differential_##NAME {                                                                               \
    static FMHA950_INLINE uint64_t run(uint64_t first, uint64_t second, uint64_t third) {                    \
      const auto a = static_cast<TYPE>(first), b = static_cast<TYPE>(second), c = static_cast<TYPE>(third);  \
      TYPE result = a;                                                                                       \
      asm volatile("s_nop 3\n\t" TEXT "\n\ts_nop 3" : "+v"(result) : "v"(a), "v"(b), "v"(c) : "vcc");        \
      return result;                                                                                         \
    }                                                                                                        \
  };                                                                                                         \
  FMHA950_KERNEL(64, 1) void differential_##NAME(DifferentialArguments arguments) {                          \
    run<Differential_##NAME>(arguments);                                                                     \
  }
#define FMHA950_OF_WORDS(NAME, TEXT) FMHA950_DIFFERENTIAL(NAME, uint32_t, TEXT)
#define FMHA950_OF_PAIRS(NAME, TEXT) FMHA950_DIFFERENTIAL(NAME, uint64_t, TEXT)

FMHA950_OF_WORDS(add_f32, "v_add_f32 %0, %1, %2")
FMHA950_OF_WORDS(mul_f32, "v_mul_f32 %0, %1, %2")
FMHA950_OF_WORDS(fma_f32, "v_fma_f32 %0, %1, %2, %3")
FMHA950_OF_WORDS(max_f32, "v_max_f32 %0, %1, %2")
FMHA950_OF_WORDS(max3_f32, "v_max3_f32 %0, %1, %2, %3")
FMHA950_OF_WORDS(med3_f32, "v_med3_f32 %0, %1, %2, %3")
FMHA950_OF_WORDS(rndne_f32, "v_rndne_f32 %0, %1")
FMHA950_OF_WORDS(ldexp_f32, "v_ldexp_f32 %0, %1, %2")
FMHA950_OF_WORDS(frexp_mant_f32, "v_frexp_mant_f32 %0, %1")
FMHA950_OF_WORDS(fma_f16, "v_fma_f16 %0, %1, %2, %3")
FMHA950_OF_WORDS(pk_fma_f16, "v_pk_fma_f16 %0, %1, %2, %3")
FMHA950_OF_PAIRS(pk_fma_f32, "v_pk_fma_f32 %0, %1, %2, %3")
FMHA950_OF_PAIRS(fma_f64, "v_fma_f64 %0, %1, %2, %3")
FMHA950_OF_WORDS(cvt_f16_f32, "v_cvt_f16_f32 %0, %1")
FMHA950_OF_WORDS(cvt_i32_f32, "v_cvt_i32_f32 %0, %1")
FMHA950_OF_WORDS(cvt_pk_bf16_f32, "v_cvt_pk_bf16_f32 %0, %1, %2")
FMHA950_OF_WORDS(cvt_pk_fp8_f32, "v_cvt_pk_fp8_f32 %0, %1, %2")
FMHA950_OF_WORDS(cvt_pk_bf8_f32, "v_cvt_pk_bf8_f32 %0, %1, %2")
FMHA950_OF_WORDS(cvt_f32_fp8, "v_cvt_f32_fp8 %0, %1")
FMHA950_OF_WORDS(cvt_f32_bf8, "v_cvt_f32_bf8 %0, %1")
FMHA950_OF_WORDS(cvt_scale_pk_fp8_f32, "v_cvt_scalef32_pk_fp8_f32 %0, %1, %2, %3")
FMHA950_OF_WORDS(cvt_pk_u8_f32, "v_cvt_pk_u8_f32 %0, %1, 1, %2")
FMHA950_OF_WORDS(mul_lo_u32, "v_mul_lo_u32 %0, %1, %2")
FMHA950_OF_WORDS(mul_hi_u32, "v_mul_hi_u32 %0, %1, %2")
FMHA950_OF_WORDS(mad_u32_u24, "v_mad_u32_u24 %0, %1, %2, %3")
FMHA950_OF_WORDS(lshl_add_u32, "v_lshl_add_u32 %0, %1, %2, %3")
FMHA950_OF_WORDS(bfe_i32, "v_bfe_i32 %0, %1, %2, %3")
FMHA950_OF_WORDS(bfi_b32, "v_bfi_b32 %0, %1, %2, %3")
FMHA950_OF_WORDS(perm_b32, "v_perm_b32 %0, %1, %2, %3")
FMHA950_OF_WORDS(alignbit_b32, "v_alignbit_b32 %0, %1, %2, %3")
FMHA950_OF_WORDS(bitop3_b32, "v_bitop3_b32 %0, %1, %2, %3 bitop3:0x6a")
FMHA950_OF_WORDS(dot4_i32_i8, "v_dot4_i32_i8 %0, %1, %2, %3")
FMHA950_OF_WORDS(row_shr, "v_mov_b32_dpp %0, %2 row_shr:3 row_mask:0xf bank_mask:0xf")
FMHA950_OF_WORDS(quad_perm, "v_mov_b32_dpp %0, %2 quad_perm:[3,0,2,1] row_mask:0xf bank_mask:0xf")
FMHA950_OF_WORDS(bpermute, "ds_bpermute_b32 %0, %1, %2\n\ts_waitcnt lgkmcnt(0)")
FMHA950_OF_WORDS(swizzle, "ds_swizzle_b32 %0, %1 offset:0x401f\n\ts_waitcnt lgkmcnt(0)")

} // namespace fmha950::calibration
