// Transcendental instructions against MPFR, in units of the last place, and the functional examples of the
// ISA guide.
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <functional>
#include <mpfr.h>
#include <random>

using namespace fmha950;
using test::OneWave;

namespace {

class Real { // 200 bits
 public:
  explicit Real(double value) {
    mpfr_init2(value_, 200);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};
using Function = std::function<void(mpfr_ptr)>; // in place

void times_two_pi(mpfr_ptr x) {
  Real pi(0);
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  mpfr_mul(x, x, pi.get(), MPFR_RNDN);
  mpfr_mul_ui(x, x, 2, MPFR_RNDN);
}
const Function exp2_of = [](mpfr_ptr x) { mpfr_exp2(x, x, MPFR_RNDN); };
const Function log2_of = [](mpfr_ptr x) { mpfr_log2(x, x, MPFR_RNDN); };
const Function inverse_of = [](mpfr_ptr x) { mpfr_ui_div(x, 1, x, MPFR_RNDN); };
const Function root_of = [](mpfr_ptr x) { mpfr_sqrt(x, x, MPFR_RNDN); };
const Function inverse_root_of = [](mpfr_ptr x) { mpfr_rec_sqrt(x, x, MPFR_RNDN); };
const Function sine_of = [](mpfr_ptr x) {
  times_two_pi(x);
  mpfr_sin(x, x, MPFR_RNDN);
};
const Function cosine_of = [](mpfr_ptr x) {
  times_two_pi(x);
  mpfr_cos(x, x, MPFR_RNDN);
};

// |result - f(x)| in units of the last of `mantissa` bits of f(x), no smaller than 2^least.
double ulps(double x, double result, const Function& f, int mantissa, int least) {
  Real exact(x), difference(result);
  f(exact.get());
  mpfr_sub(difference.get(), difference.get(), exact.get(), MPFR_RNDN);
  const long exponent = mpfr_zero_p(exact.get()) ? least : mpfr_get_exp(exact.get()) - 1;
  return std::fabs(std::ldexp(mpfr_get_d(difference.get(), MPFR_RNDN),
                              static_cast<int>(mantissa - std::max<long>(exponent, least))));
}

// Largest error over arguments from `next`, as many lanes at a time as a wave has.
double worst(const std::string& instruction, const Function& f, const std::function<float()>& next,
             int waves = 200) {
  OneWave w;
  double largest = 0;
  for (int i = 0; i < waves; ++i) {
    for (int l = 0; l < 64; ++l) w.lane_f32(0, l) = next();
    w.run(instruction + " v1, v0");
    for (int l = 0; l < 64; ++l)
      largest = std::max(largest, ulps(w.lane_f32(0, l), w.lane_f32(1, l), f, 23, -126));
  }
  return largest;
}

std::mt19937 engine(950);
std::function<float()> uniform(float low, float high) {
  return [=] { return std::uniform_real_distribution<float>(low, high)(engine); };
}
// Any positive normal number whose exponent leaves room for `margin` binades at both ends.
std::function<float()> normal(int margin = 0) {
  return [=] {
    const auto exponent = std::uniform_int_distribution<int>(-126 + margin, 127 - margin)(engine);
    return std::ldexp(std::uniform_real_distribution<float>(1, 2)(engine), exponent);
  };
}

uint32_t one(const std::string& instruction, uint32_t argument) {
  OneWave w;
  w.lane(0, 0) = argument;
  w.lane(1, 0) = 0xDEADBEEF;
  w.run(instruction + " v1, v0");
  return w.lane(1, 0);
}

} // namespace

TEST_CASE("f32 transcendental instructions are within 1 ulp") {
  CHECK(worst("v_exp_f32", exp2_of, uniform(-125.99f, 127.99f)) < 1);
  CHECK(worst("v_exp_f32", exp2_of, uniform(-1, 1)) < 1);
  CHECK(worst("v_log_f32", log2_of, normal()) < 1);
  CHECK(worst("v_log_f32", log2_of, uniform(0.9f, 1.1f)) < 1);
  CHECK(worst("v_rcp_f32", inverse_of, normal(2)) < 1);
  CHECK(worst("v_rcp_iflag_f32", inverse_of, normal(2)) < 1);
  CHECK(worst("v_rsq_f32", inverse_root_of, normal()) < 1);
  CHECK(worst("v_sqrt_f32", root_of, normal()) < 1);
  CHECK(worst("v_sin_f32", sine_of, uniform(-3, 3)) < 1);
  CHECK(worst("v_cos_f32", cosine_of, uniform(-3, 3)) < 1);
  CHECK(worst("v_sin_f32", sine_of, uniform(-1e6f, 1e6f)) < 1);
}

TEST_CASE("f16 transcendental instructions are within 1 ulp on every half") {
  struct Form {
    const char* name;
    Function exact;
  };
  const Form forms[] = {{"v_exp_f16", exp2_of},         {"v_log_f16", log2_of},  {"v_rcp_f16", inverse_of},
                        {"v_rsq_f16", inverse_root_of}, {"v_sqrt_f16", root_of}, {"v_sin_f16", sine_of},
                        {"v_cos_f16", cosine_of}};
  for (const Form& form : forms) {
    double largest = 0;
    OneWave w;
    for (uint32_t first = 0; first < 0x10000; first += 64) {
      for (uint32_t l = 0; l < 64; ++l) w.lane(0, static_cast<int>(l)) = first + l;
      w.run(std::string(form.name) + " v1, v0");
      for (int l = 0; l < 64; ++l) {
        const auto x = std::bit_cast<_Float16>(static_cast<uint16_t>(w.lane(0, l)));
        const auto y = std::bit_cast<_Float16>(static_cast<uint16_t>(w.lane(1, l)));
        const auto finite = [](_Float16 v) { return std::isfinite(static_cast<double>(v)); };
        if (finite(x) && finite(y)) largest = std::max(largest, ulps(x, y, form.exact, 10, -14));
      }
    }
    INFO(form.name);
    CHECK(largest < 1);
  }
}

TEST_CASE("f64 reciprocal and roots are within the guide's 2^29 ulp") {
  OneWave w;
  const std::pair<const char*, Function> forms[] = {
      {"v_rcp_f64", inverse_of}, {"v_rsq_f64", inverse_root_of}, {"v_sqrt_f64", root_of}};
  for (const auto& [name, exact] : forms) {
    for (int l = 0; l < 64; ++l)
      w.set_lane64(0, l, std::bit_cast<uint64_t>(std::ldexp(1 + l / 64.0, (l - 32) * 20)));
    w.run(std::string(name) + " v[2:3], v[0:1]");
    for (int l = 0; l < 64; ++l) {
      const auto x = std::bit_cast<double>(w.lane64(0, l)), y = std::bit_cast<double>(w.lane64(2, l));
      CHECK(ulps(x, y, exact, 52, -1022) < 0x1p29);
    }
  }
}

TEST_CASE("special arguments give what the ISA guide's examples say") {
  struct Example {
    const char* instruction;
    uint32_t argument, result;
  };
  constexpr Example examples[] = {
      {"v_exp_f32", 0xff800000, 0},
      {"v_exp_f32", 0x80000000, 0x3f800000},
      {"v_exp_f32", 0x7f800000, 0x7f800000},
      {"v_log_f32", 0xff800000, 0xffc00000},
      {"v_log_f32", 0xbf800000, 0xffc00000},
      {"v_log_f32", 0x80000000, 0xff800000},
      {"v_log_f32", 0x00000000, 0xff800000},
      {"v_log_f32", 0x3f800000, 0},
      {"v_log_f32", 0x7f800000, 0x7f800000},
      {"v_rcp_f32", 0xff800000, 0x80000000},
      {"v_rcp_f32", 0xc0000000, 0xbf000000},
      {"v_rcp_f32", 0x80000000, 0xff800000},
      {"v_rcp_f32", 0x00000000, 0x7f800000},
      {"v_rcp_f32", 0x7f800000, 0},
      {"v_rsq_f32", 0xff800000, 0xffc00000},
      {"v_rsq_f32", 0x80000000, 0xff800000},
      {"v_rsq_f32", 0x00000000, 0x7f800000},
      {"v_rsq_f32", 0x40800000, 0x3f000000},
      {"v_rsq_f32", 0x7f800000, 0},
      {"v_sqrt_f32", 0xff800000, 0xffc00000},
      {"v_sqrt_f32", 0x80000000, 0x80000000},
      {"v_sqrt_f32", 0x00000000, 0},
      {"v_sqrt_f32", 0x40800000, 0x40000000},
      {"v_sqrt_f32", 0x7f800000, 0x7f800000},
      {"v_sin_f32", 0xff800000, 0xffc00000},
      {"v_sin_f32", 0xff7fffff, 0},
      {"v_sin_f32", 0x80000000, 0x80000000},
      {"v_sin_f32", 0x3e800000, 0x3f800000},
      {"v_sin_f32", 0x7f800000, 0xffc00000},
      {"v_cos_f32", 0xff800000, 0xffc00000},
      {"v_cos_f32", 0xff7fffff, 0x3f800000},
      {"v_cos_f32", 0x80000000, 0x3f800000},
      {"v_cos_f32", 0x3e800000, 0},
      {"v_cos_f32", 0x7f800000, 0xffc00000},
      {"v_rcp_f16", 0xfc00, 0x8000},
      {"v_rcp_f16", 0xc000, 0xb800},
      {"v_rcp_f16", 0x8000, 0xfc00},
      {"v_rcp_f16", 0x0000, 0x7c00},
      {"v_sqrt_f16", 0xfc00, 0xfe00},
      {"v_sqrt_f16", 0x8000, 0x8000},
      {"v_sqrt_f16", 0x4400, 0x4000},
      {"v_sqrt_f16", 0x7c00, 0x7c00},
      {"v_rsq_f16", 0xfc00, 0xfe00},
      {"v_rsq_f16", 0x8000, 0xfc00},
      {"v_rsq_f16", 0x4400, 0x3800},
      {"v_log_f16", 0xfc00, 0xfe00},
      {"v_log_f16", 0xbc00, 0xfe00},
      {"v_log_f16", 0x8000, 0xfc00},
      {"v_log_f16", 0x3c00, 0},
      {"v_exp_f16", 0xfc00, 0},
      {"v_exp_f16", 0x8000, 0x3c00},
      {"v_exp_f16", 0x7c00, 0x7c00},
      {"v_sin_f16", 0xfc00, 0xfe00},
      {"v_sin_f16", 0xfbff, 0},
      {"v_sin_f16", 0x8000, 0x8000},
      {"v_sin_f16", 0x3400, 0x3c00},
      {"v_cos_f16", 0x7c00, 0xfe00},
      {"v_cos_f16", 0xfbff, 0x3c00},
      {"v_cos_f16", 0x8000, 0x3c00},
      {"v_cos_f16", 0x3400, 0},
      {"v_ffbh_u32", 0, 0xffffffff},
      {"v_ffbh_u32", 0x800000ff, 0},
      {"v_ffbh_u32", 0x100000ff, 3},
      {"v_ffbh_u32", 1, 31},
      {"v_ffbl_b32", 0, 0xffffffff},
      {"v_ffbl_b32", 0xff000008, 3},
      {"v_ffbl_b32", 0x80000000, 31},
      {"v_ffbh_i32", 0, 0xffffffff},
      {"v_ffbh_i32", 0x40000000, 1},
      {"v_ffbh_i32", 0x80000000, 1},
      {"v_ffbh_i32", 0x0fffffff, 4},
      {"v_ffbh_i32", 0xfffffffe, 31},
      {"v_ffbh_i32", 0xffffffff, 0xffffffff},
      // Denormals are flushed by the f32 forms.
      {"v_exp_f32", 0xc2fd0000, 0},
      {"v_log_f32", 0x00400000, 0xff800000},
      {"v_rcp_f32", 0x00400000, 0x7f800000},
      {"v_rcp_f32", 0x7f000000, 0},
      {"v_rsq_f32", 0x80400000, 0xff800000},
      {"v_sqrt_f32", 0x00400000, 0},
  };
  for (const Example& example : examples) {
    INFO(example.instruction << std::hex << " 0x" << example.argument);
    CHECK(one(example.instruction, example.argument) == example.result);
  }
}
