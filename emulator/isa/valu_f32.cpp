// Single-precision arithmetic (ISA guide 12, VOP1, VOP2, VOP3).

#include "emulator/isa/families.hpp"
#include "emulator/isa/float_math.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using V = Lanes<f32>;

FMHA950_INLINE V magnitude(V x) { return __builtin_elementwise_abs(x); }

// v_mul_legacy_f32: zero times anything is +0 (DX9 rules, ISA guide V_MUL_LEGACY_F32).
FMHA950_INLINE V legacy_product(V a, V b) { return (a == 0 | b == 0) ? V{} : a * b; }

// Cube map faces (ISA guide, V_CUBEID_F32 and following): the major axis is z, else y, else x.
struct CubeFace {
  Lanes<i32> z_major, y_major;
  FMHA950_INLINE CubeFace(V x, V y, V z)
      : z_major((magnitude(z) >= magnitude(x)) & (magnitude(z) >= magnitude(y))),
        y_major(magnitude(y) >= magnitude(x)) {}
  FMHA950_INLINE V select(V on_z, V on_y, V on_x) const { return z_major ? on_z : (y_major ? on_y : on_x); }
};
FMHA950_INLINE V choose(V negative, V if_negative, V otherwise) {
  return negative < 0 ? if_negative : otherwise;
}
FMHA950_INLINE V constant(float value) { return V(value); }

constexpr Row table[] = {
    valu<f32(f32, f32)>("v_add_f32", [](V a, V b) { return a + b; }),
    valu<f32(f32, f32)>("v_sub_f32", [](V a, V b) { return a - b; }),
    valu<f32(f32, f32)>("v_subrev_f32", [](V a, V b) { return b - a; }),
    valu<f32(f32, f32)>("v_mul_f32", [](V a, V b) { return a * b; }),
    valu<f32(f32, f32)>("v_mul_legacy_f32", [](V a, V b) { return legacy_product(a, b); }),
    valu<f32(f32, f32, f32)>("v_fma_f32", [](V a, V b, V c) { return fma<f32>(a, b, c); }),
    valu<f32(f32, f32, old<f32>)>("v_fmac_f32", [](V a, V b, V d) { return fma<f32>(a, b, d); }),
    valu<f32(f32, f32, f32)>("v_fmamk_f32", [](V a, V k, V c) { return fma<f32>(a, k, c); }),
    valu<f32(f32, f32, f32)>("v_fmaak_f32", [](V a, V b, V k) { return fma<f32>(a, b, k); }),
    valu<f32(f32, f32)>("v_min_f32", [](V a, V b) { return minimum<f32>(a, b); }),
    valu<f32(f32, f32)>("v_max_f32", [](V a, V b) { return maximum<f32>(a, b); }),
    valu<f32(f32, f32, f32)>("v_min3_f32", [](V a, V b, V c) { return minimum<f32>(minimum<f32>(a, b), c); }),
    valu<f32(f32, f32, f32)>("v_max3_f32", [](V a, V b, V c) { return maximum<f32>(maximum<f32>(a, b), c); }),
    valu<f32(f32, f32, f32)>("v_med3_f32", [](V a, V b, V c) { return median<f32>(a, b, c); }),
    valu<f32(f32, f32, f32)>(
        "v_minimum3_f32",
        [](V a, V b, V c) { return propagating<f32, false>(propagating<f32, false>(a, b), c); }),
    valu<f32(f32, f32, f32)>(
        "v_maximum3_f32",
        [](V a, V b, V c) { return propagating<f32, true>(propagating<f32, true>(a, b), c); }),
    valu<f32(f32)>("v_floor_f32", [](V a) { return __builtin_elementwise_floor(a); }),
    valu<f32(f32)>("v_ceil_f32", [](V a) { return __builtin_elementwise_ceil(a); }),
    valu<f32(f32)>("v_trunc_f32", [](V a) { return __builtin_elementwise_trunc(a); }),
    valu<f32(f32)>("v_rndne_f32", [](V a) { return __builtin_elementwise_roundeven(a); }),
    valu<f32(f32)>("v_fract_f32", [](V a) { return fraction<f32>(a); }),
    valu<f32(f32, f32, f32)>("v_cubeid_f32",
                             [](V x, V y, V z) {
                               return CubeFace(x, y, z).select(choose(z, constant(5), constant(4)),
                                                               choose(y, constant(3), constant(2)),
                                                               choose(x, constant(1), constant(0)));
                             }),
    valu<f32(f32, f32, f32)>(
        "v_cubesc_f32",
        [](V x, V y, V z) { return CubeFace(x, y, z).select(choose(z, -x, x), x, choose(x, z, -z)); }),
    valu<f32(f32, f32, f32)>(
        "v_cubetc_f32", [](V x, V y, V z) { return CubeFace(x, y, z).select(-y, choose(y, -z, z), -y); }),
    valu<f32(f32, f32, f32)>("v_cubema_f32",
                             [](V x, V y, V z) { return CubeFace(x, y, z).select(z, y, x) * 2; }),
};

} // namespace

const Rows rows_valu_f32 = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
