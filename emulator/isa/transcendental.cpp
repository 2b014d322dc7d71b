// Transcendental instructions (ISA guide 12, VOP1). f32 exp, log, rcp, rsq and sqrt flush denormals, sin and
// cos do not; f16 and f64 support them (notes of the guide's entries). They do not follow MODE's rounding (a
// guess: the guide promises 1 ulp, not a direction).

#include "emulator/isa/transcendental.hpp"
#include "emulator/isa/families.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using V = Lanes<f32>;
using H = Lanes<f16>;
using D = Lanes<f64>;

FMHA950_INLINE V single(H x) { return __builtin_convertvector(x, V); }
FMHA950_INLINE H rounded(V x) { return __builtin_convertvector(x, H); }

// The f16 forms round the f32 value; a half is a normal f32, so nothing is flushed on the way.
FMHA950_INLINE H half_nan(V value, H x) {
  return with_nans<f16>(rounded(value), x, is_nan<f16>(rounded(value)));
}

template <class Signature, class Body> constexpr Row approximate(const char* mnemonic, Body body) {
  return approximately("within the guide's ulps, without the silicon's bits",
                       of_class(ValuClass::transcendental, mode_free(valu<Signature>(mnemonic, body))));
}

constexpr Row table[] = {
    approximate<f32(f32)>("v_exp_f32", [](V x) { return exponential(x); }),
    approximate<raw<f32>(f32)>("v_log_f32", [](V x) { return safe_logarithm(flush<f32>(x)); }),
    // The guide does not describe the legacy forms; they are taken to agree with the others.
    approximate<f32(f32)>("v_exp_legacy_f32", [](V x) { return exponential(x); }),
    approximate<raw<f32>(f32)>("v_log_legacy_f32", [](V x) { return safe_logarithm(flush<f32>(x)); }),
    approximate<f32(f32)>("v_rcp_f32", [](V x) { return flush<f32>(1 / flush<f32>(x)); }),
    approximate<f32(f32)>("v_rcp_iflag_f32", [](V x) { return flush<f32>(1 / flush<f32>(x)); }),
    approximate<raw<f32>(f32)>("v_rsq_f32", [](V x) { return reciprocal_root(flush<f32>(x)); }),
    approximate<raw<f32>(f32)>("v_sqrt_f32",
                               [](V x) {
                                 const V y = flush<f32>(x);
                                 return with_nans<f32>(__builtin_elementwise_sqrt(y), y, y < 0);
                               }),
    approximate<raw<f32>(f32)>("v_sin_f32", [](V x) { return safe_wave_of<false>(x); }),
    approximate<raw<f32>(f32)>("v_cos_f32", [](V x) { return safe_wave_of<true>(x); }),

    approximate<raw<f16>(f16)>("v_exp_f16", [](H x) { return half_nan(exponential(single(x)), x); }),
    approximate<raw<f16>(f16)>("v_log_f16", [](H x) { return half_nan(safe_logarithm(single(x)), x); }),
    approximate<raw<f16>(f16)>("v_rcp_f16", [](H x) { return half_nan(1 / single(x), x); }),
    approximate<raw<f16>(f16)>("v_rsq_f16", [](H x) { return half_nan(reciprocal_root(single(x)), x); }),
    approximate<raw<f16>(f16)>("v_sqrt_f16",
                               [](H x) { return half_nan(__builtin_elementwise_sqrt(single(x)), x); }),
    approximate<raw<f16>(f16)>("v_sin_f16", [](H x) { return half_nan(safe_wave_of<false>(single(x)), x); }),
    approximate<raw<f16>(f16)>("v_cos_f16", [](H x) { return half_nan(safe_wave_of<true>(single(x)), x); }),

    approximate<f64(f64)>("v_rcp_f64", [](D x) { return 1 / x; }),
    approximate<raw<f64>(f64)>(
        "v_rsq_f64", [](D x) { return with_nans<f64>(1 / __builtin_elementwise_sqrt(x), x, x < 0); }),
    approximate<raw<f64>(f64)>("v_sqrt_f64",
                               [](D x) { return with_nans<f64>(__builtin_elementwise_sqrt(x), x, x < 0); }),
};

} // namespace

const Rows rows_transcendental = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
