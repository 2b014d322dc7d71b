// Half-precision arithmetic (ISA guide 12, VOP1, VOP2, VOP3). f32 has more than twice f16's precision,
// so sums, products and roots rounded through it are correct;
// the fused multiply-add takes care (float_math.hpp).

#include "emulator/isa/families.hpp"
#include "emulator/isa/float_math.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using H = Lanes<f16>;

// mac and mad round the product and flush denormals (ISA guide, V_MAD_F16).
FMHA950_INLINE H mad(H a, H b, H c) {
  return flush<f16>(flush<f16>(flush<f16>(a) * flush<f16>(b)) + flush<f16>(c));
}

FMHA950_INLINE Lanes<u32> pack(H low, H high) {
  return __builtin_convertvector(to_bits<f16>(low), Lanes<u32>) |
         __builtin_convertvector(to_bits<f16>(high), Lanes<u32>) << 16;
}

constexpr Row table[] = {
    valu<f16(f16, f16)>("v_add_f16", [](H a, H b) { return a + b; }),
    valu<f16(f16, f16)>("v_sub_f16", [](H a, H b) { return a - b; }),
    valu<f16(f16, f16)>("v_subrev_f16", [](H a, H b) { return b - a; }),
    valu<f16(f16, f16)>("v_mul_f16", [](H a, H b) { return a * b; }),
    valu<f16(f16, f16, old<f16>)>("v_mac_f16", [](H a, H b, H d) { return mad(a, b, d); }),
    valu<f16(f16, f16, f16)>("v_madmk_f16", [](H a, H k, H c) { return mad(a, k, c); }),
    valu<f16(f16, f16, f16)>("v_madak_f16", [](H a, H b, H k) { return mad(a, b, k); }),
    valu<f16(f16, f16, f16)>("v_mad_legacy_f16", [](H a, H b, H c) { return mad(a, b, c); }),
    valu<half<f16>(f16, f16, f16)>("v_mad_f16", [](H a, H b, H c) { return mad(a, b, c); }),
    valu<f16(f16, f16, f16)>("v_fma_legacy_f16", [](H a, H b, H c) { return half_fma(a, b, c); }),
    valu<half<f16>(f16, f16, f16)>("v_fma_f16", [](H a, H b, H c) { return half_fma(a, b, c); }),
    valu<f16(f16, f16)>("v_min_f16", [](H a, H b) { return minimum<f16>(a, b); }),
    valu<f16(f16, f16)>("v_max_f16", [](H a, H b) { return maximum<f16>(a, b); }),
    valu<half<f16>(f16, f16, f16)>("v_min3_f16",
                                   [](H a, H b, H c) { return minimum<f16>(minimum<f16>(a, b), c); }),
    valu<half<f16>(f16, f16, f16)>("v_max3_f16",
                                   [](H a, H b, H c) { return maximum<f16>(maximum<f16>(a, b), c); }),
    valu<half<f16>(f16, f16, f16)>("v_med3_f16", [](H a, H b, H c) { return median<f16>(a, b, c); }),
    valu<f16(f16)>("v_floor_f16", [](H a) { return __builtin_elementwise_floor(a); }),
    valu<f16(f16)>("v_ceil_f16", [](H a) { return __builtin_elementwise_ceil(a); }),
    valu<f16(f16)>("v_trunc_f16", [](H a) { return __builtin_elementwise_trunc(a); }),
    valu<f16(f16)>("v_rndne_f16", [](H a) { return __builtin_elementwise_roundeven(a); }),
    valu<f16(f16)>("v_fract_f16", [](H a) { return fraction<f16>(a); }),
    with_flow(ValuFlow::half_from_each,
              valu<u32(f16, f16)>("v_pack_b32_f16", [](H a, H b) { return pack(a, b); })),
};

} // namespace

const Rows rows_valu_f16 = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
