#pragma once
// The fused dot-product-add model of mfma_gfx950.md section 1.2 once more, as real-number arithmetic in
// MPFR: the definitions are written as they stand in the facts (s * 2^e, truncation and floor to n fractional
// bits), without the integer shifts of the code under test. 2000 bits of precision never round.
#include <algorithm>
#include <cmath>
#include <mpfr.h>
#include <vector>

namespace fmha950::numerics {

class Real {
 public:
  Real(double x = 0) {
    mpfr_init2(value_, 2000);
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  friend Real operator+(const Real& a, const Real& b) {
    Real r;
    mpfr_add(r.value_, a.value_, b.value_, MPFR_RNDN);
    return r;
  }
  friend Real operator*(const Real& a, const Real& b) {
    Real r;
    mpfr_mul(r.value_, a.value_, b.value_, MPFR_RNDN);
    return r;
  }
  Real times_two_to(int n) const {
    Real r;
    mpfr_mul_2si(r.value_, value_, n, MPFR_RNDN);
    return r;
  }
  Real truncated_to(int fractional_bits) const { return integral(fractional_bits, mpfr_trunc); }
  Real floored_to(int fractional_bits) const { return integral(fractional_bits, mpfr_floor); }
  bool zero() const { return mpfr_zero_p(value_); }
  int exponent() const { return int(mpfr_get_exp(value_)) - 1; } // 1 <= |s| < 2
  float nearest_f32() const {                                    // ties to even, gradual underflow
    const int quantum = zero() ? 0 : std::max(exponent() - 23, -149);
    Real r;
    mpfr_mul_2si(r.value_, value_, -quantum, MPFR_RNDN);
    mpfr_rint(r.value_, r.value_, MPFR_RNDN);
    mpfr_mul_2si(r.value_, r.value_, quantum, MPFR_RNDN);
    const double d = mpfr_get_d(r.value_, MPFR_RNDN);
    return std::abs(d) >= 0x1p128 ? std::copysign(INFINITY, float(d)) : float(d);
  }

 private:
  Real integral(int bits, int (*round)(mpfr_ptr, mpfr_srcptr)) const {
    Real r = times_two_to(bits);
    round(r.value_, r.value_);
    return r.times_two_to(-bits);
  }
  mpfr_t value_;
};

struct ExactModel {
  enum { truncated, even_odd, exact } grouping;
  int fraction_bits, sum_bits, normalised_bits, min_exponent_a, min_exponent_b;

  /// One step over finite values, products scaled by 2^scale.
  float step(const std::vector<float>& a, const std::vector<float>& b, float c, int scale = 0) const {
    const Group group = sum(a, b, scale);
    const int e_c = exponent_of(c, -126), e = std::max(group.e, e_c);
    const Real s = group.s.times_two_to(group.e - e).floored_to(sum_bits);
    Real addend = Real(c).times_two_to(-e).floored_to(fraction_bits);
    if (grouping == even_odd && e_c < e - (fraction_bits + 1)) addend = 0;
    const Real total = (s + addend).times_two_to(e);
    if (total.zero()) return 0;
    const int leading = std::max(total.exponent(), -126);
    return total.times_two_to(-leading).floored_to(normalised_bits).times_two_to(leading).nearest_f32();
  }

 private:
  struct Group {
    Real s;
    int e = -999;
  };

  static int exponent_of(float x, int minimum) { return x == 0 ? minimum : std::max(std::ilogb(x), minimum); }

  Group partial(const std::vector<float>& a, const std::vector<float>& b, int scale, size_t first,
                size_t stride) const {
    Group group;
    const auto e = [&](size_t k) {
      return exponent_of(a[k], min_exponent_a) + exponent_of(b[k], min_exponent_b) + scale;
    };
    for (size_t k = first; k < a.size(); k += stride)
      if (a[k] * double(b[k]) != 0) group.e = std::max(group.e, e(k));
    for (size_t k = first; k < a.size(); k += stride) {
      const Real product = (Real(a[k]) * Real(b[k])).times_two_to(scale - group.e);
      group.s = group.s + (grouping == exact ? product : product.truncated_to(fraction_bits));
    }
    return group;
  }

  Group sum(const std::vector<float>& a, const std::vector<float>& b, int scale) const {
    if (grouping != even_odd) return partial(a, b, scale, 0, 1);
    const Group even = partial(a, b, scale, 0, 2), odd = partial(a, b, scale, 1, 2);
    const int e = std::max(even.e, odd.e);
    return {even.s.times_two_to(even.e - e).floored_to(fraction_bits) +
                odd.s.times_two_to(odd.e - e).floored_to(fraction_bits),
            e};
  }
};

} // namespace fmha950::numerics
