#pragma once
// Offsets in bytes of 64 bits, made of products of 32-bit numbers, one per lane. Added up in a double, above
// 2^52 where the unit in the last place is one byte: exact below 2^52, and a fused multiply-add takes a
// quarter of the clocks of v_mad_u64_u32 (machine_gfx950.md section 6.3).

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

class WideOffset {
 public:
  WideOffset() = default;
  FMHA950_INLINE explicit WideOffset(uint32_t bytes) : sum_(0x1p52 + bytes) {}
  // Numbers become doubles where they are made, once for several products.
  FMHA950_INLINE WideOffset plus(double factor, double bytes) const {
    WideOffset result;
    result.sum_ = __builtin_fma(factor, bytes, sum_);
    return result;
  }
  // The exponent's bits come off the base, which is a scalar.
  FMHA950_INLINE const char* from(const void* base) const {
    constexpr uint64_t exponent = uint64_t(1023 + 52) << 52;
    return reinterpret_cast<const char*>(reinterpret_cast<uint64_t>(base) - exponent +
                                         bits_as<uint64_t>(sum_));
  }

 private:
  double sum_;
};

} // namespace fmha950::gfx950
