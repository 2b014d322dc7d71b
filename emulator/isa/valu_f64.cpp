// Double-precision arithmetic (ISA guide 12, VOP1, VOP2, VOP3).

#include "emulator/isa/families.hpp"
#include "emulator/isa/float_math.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using V = Lanes<f64>;

constexpr Row table[] = {
    computes(Arithmetic::in_f64, valu<f64(f64, f64)>("v_add_f64", [](V a, V b) { return a + b; })),
    computes(Arithmetic::in_f64, valu<f64(f64, f64)>("v_mul_f64", [](V a, V b) { return a * b; })),
    computes(Arithmetic::in_f64,
             of_class(ValuClass::fma_f64, valu<f64(f64, f64, f64)>(
                                              "v_fma_f64", [](V a, V b, V c) { return fma<f64>(a, b, c); }))),
    computes(Arithmetic::in_f64,
             of_class(ValuClass::fma_f64,
                      valu<f64(f64, f64, old<f64>)>("v_fmac_f64",
                                                    [](V a, V b, V d) { return fma<f64>(a, b, d); }))),
    valu<f64(f64, f64)>("v_min_f64", [](V a, V b) { return minimum<f64>(a, b); }),
    valu<f64(f64, f64)>("v_max_f64", [](V a, V b) { return maximum<f64>(a, b); }),
    valu<f64(f64)>("v_floor_f64", [](V a) { return __builtin_elementwise_floor(a); }),
    valu<f64(f64)>("v_ceil_f64", [](V a) { return __builtin_elementwise_ceil(a); }),
    valu<f64(f64)>("v_trunc_f64", [](V a) { return __builtin_elementwise_trunc(a); }),
    valu<f64(f64)>("v_rndne_f64", [](V a) { return __builtin_elementwise_roundeven(a); }),
    valu<f64(f64)>("v_fract_f64", [](V a) { return fraction<f64>(a); }),
};

} // namespace

const Rows rows_valu_f64 = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
