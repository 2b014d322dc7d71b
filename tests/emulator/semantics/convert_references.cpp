// Conversions among integers, f16, f32 and f64: family convert, and v_cvt_pk_{f16,bf16}_f32 of convert_small.

#include "tests/emulator/semantics/float_math.hpp"

#include <algorithm>
#include <cfenv>

namespace fmha950::semantics {
namespace {

// Toward zero, saturated; NaN gives 0.
template <class Int> Int truncated(f64 x) {
  constexpr f64 low = std::is_signed_v<Int> ? -f64(i64{1} << (8 * sizeof(Int) - 1)) : 0;
  constexpr f64 high = f64((i64{1} << (8 * sizeof(Int) - (std::is_signed_v<Int> ? 1 : 0))) - 1);
  if (x != x) return 0;
  return static_cast<Int>(std::clamp(std::trunc(x), low, high));
}
// To nearest even whatever MODE says.
class Nearest {
 public:
  Nearest() { std::fesetround(FE_TONEAREST); }
  ~Nearest() { std::fesetround(before_); }

 private:
  int before_ = std::fegetround();
};
u32 norm(f64 x, f64 lowest, f64 scale) {
  if (x != x) return 0;
  return static_cast<u16>(static_cast<i32>(__builtin_roundeven(std::clamp(x, lowest, 1.0) * scale)));
}
u32 signed_norm(f64 x) { return norm(x, -1, 32767); }
u32 unsigned_norm(f64 x) { return norm(x, 0, 65535); }
u32 with_byte(f32 value, u32 selector, u32 before) {
  const u32 shift = 8 * (selector & 3), byte = static_cast<u32>(truncated<uint8_t>(value));
  return (before & ~(0xFFu << shift)) | byte << shift;
}
f64 wide(f16 x) { return static_cast<f64>(x); }

} // namespace

References convert_references() {
  return {
      reference<f32(i32)>("v_cvt_f32_i32", [](i32 a) { return f32(a); }),
      reference<f32(u32)>("v_cvt_f32_u32", [](u32 a) { return f32(i64{a}); }),
      reference<f64(i32)>("v_cvt_f64_i32", [](i32 a) { return f64(a); }),
      reference<f64(u32)>("v_cvt_f64_u32", [](u32 a) { return f64(i64{a}); }),
      reference<i32(f32)>("v_cvt_i32_f32", [](f32 a) { return truncated<i32>(a); }),
      reference<u32(f32)>("v_cvt_u32_f32", [](f32 a) { return truncated<u32>(a); }),
      reference<i32(f64)>("v_cvt_i32_f64", [](f64 a) { return truncated<i32>(a); }),
      reference<u32(f64)>("v_cvt_u32_f64", [](f64 a) { return truncated<u32>(a); }),
      reference<i32(f32)>("v_cvt_rpi_i32_f32",
                          [](f32 a) {
                            const Nearest nearest;
                            const volatile f32 half = 0.5f;
                            const volatile f32 sum = a + half;
                            return truncated<i32>(std::floor(f64(sum)));
                          }),
      reference<i32(f32)>("v_cvt_flr_i32_f32", [](f32 a) { return truncated<i32>(std::floor(f64(a))); }),
      reference<f32(f64)>("v_cvt_f32_f64", [](f64 a) { return f32(a); }),
      reference<f64(f32)>("v_cvt_f64_f32", [](f32 a) { return f64(a); }),
      reference<f32(u32)>("v_cvt_f32_ubyte0", [](u32 a) { return f32(a & 0xFF); }),
      reference<f32(u32)>("v_cvt_f32_ubyte1", [](u32 a) { return f32(a >> 8 & 0xFF); }),
      reference<f32(u32)>("v_cvt_f32_ubyte2", [](u32 a) { return f32(a >> 16 & 0xFF); }),
      reference<f32(u32)>("v_cvt_f32_ubyte3", [](u32 a) { return f32(a >> 24); }),
      reference<f32(u32)>("v_cvt_off_f32_i4", [](u32 a) { return f32(i32(a << 28) >> 28) / 16; }),
      reference<f16(f32)>("v_cvt_f16_f32", [](f32 a) { return f16(a); }),
      reference<f32(f16)>("v_cvt_f32_f16", [](f16 a) { return f32(a); }),
      reference<f16(u16)>("v_cvt_f16_u16", [](u16 a) { return f16(f64(a)); }),
      reference<f16(i16)>("v_cvt_f16_i16", [](i16 a) { return f16(f64(a)); }),
      reference<u16(f16)>("v_cvt_u16_f16", [](f16 a) { return truncated<u16>(wide(a)); }),
      reference<i16(f16)>("v_cvt_i16_f16", [](f16 a) { return truncated<i16>(wide(a)); }),
      reference<u16(f16)>("v_cvt_norm_i16_f16", [](f16 a) { return u16(signed_norm(wide(a))); }),
      reference<u16(f16)>("v_cvt_norm_u16_f16", [](f16 a) { return u16(unsigned_norm(wide(a))); }),
      reference<u32(f32, f32)>("v_cvt_pknorm_i16_f32",
                               [](f32 a, f32 b) { return signed_norm(a) | signed_norm(b) << 16; }),
      reference<u32(f32, f32)>("v_cvt_pknorm_u16_f32",
                               [](f32 a, f32 b) { return unsigned_norm(a) | unsigned_norm(b) << 16; }),
      reference<u32(f16, f16)>(
          "v_cvt_pknorm_i16_f16",
          [](f16 a, f16 b) { return signed_norm(wide(a)) | signed_norm(wide(b)) << 16; }),
      reference<u32(f16, f16)>(
          "v_cvt_pknorm_u16_f16",
          [](f16 a, f16 b) { return unsigned_norm(wide(a)) | unsigned_norm(wide(b)) << 16; }),
      reference<u32(u32, u32)>(
          "v_cvt_pk_u16_u32", [](u32 a, u32 b) { return std::min(a, 0xFFFFu) | std::min(b, 0xFFFFu) << 16; }),
      reference<u32(i32, i32)>("v_cvt_pk_i16_i32",
                               [](i32 a, i32 b) {
                                 return u32(u16(std::clamp(a, -32768, 32767))) |
                                        u32(u16(std::clamp(b, -32768, 32767))) << 16;
                               }),
      reference<u32(f32, u32, u32)>("v_cvt_pk_u8_f32",
                                    [](f32 a, u32 b, u32 c) { return with_byte(a, b, c); }),
  };
}

} // namespace fmha950::semantics
