// Dense matrix instructions: register layouts of every shape and type against a scalar matrix product,
// arithmetic against numerics bit for bit, on every vector width of this host.
#include "tests/emulator/memory_case.hpp"
#include "tests/emulator/mfma_case.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Dense {
  std::string name; // without "v_mfma_"
  Shape shape;
  int k_step; // section 2.3's "item t -> k": k = k_step * slice + t
  std::string a, b;
};

std::string range(int first, int count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}
int operand_registers(const Dense& d, const std::string& type) {
  return d.shape.items(d.shape.k) * operand_types().at(type).width / 32;
}
// A in v0.., B in v16.., C in v64.., D in v128..
std::string instruction(const Dense& d, const std::string& modifiers = "", const std::string& c = "") {
  const int results = output_registers(d.shape);
  return "v_mfma_" + d.name + " " + range(128, results) + ", " + range(0, operand_registers(d, d.a)) + ", " +
         range(16, operand_registers(d, d.b)) + ", " + (c.empty() ? range(64, results) : c) + modifiers;
}

const std::vector<Dense> dense = {
    {"f32_32x32x1_2b_f32", {32, 1, 2}, 0, "f32", "f32"},
    {"f32_16x16x1_4b_f32", {16, 1, 4}, 0, "f32", "f32"},
    {"f32_4x4x1_16b_f32", {4, 1, 16}, 0, "f32", "f32"},
    {"f32_32x32x2_f32", {32, 2, 1}, 1, "f32", "f32"},
    {"f32_16x16x4_f32", {16, 4, 1}, 1, "f32", "f32"},
    {"f32_32x32x4_2b_f16", {32, 4, 2}, 0, "f16", "f16"},
    {"f32_16x16x4_4b_f16", {16, 4, 4}, 0, "f16", "f16"},
    {"f32_4x4x4_16b_f16", {4, 4, 16}, 0, "f16", "f16"},
    {"f32_32x32x8_f16", {32, 8, 1}, 4, "f16", "f16"},
    {"f32_16x16x16_f16", {16, 16, 1}, 4, "f16", "f16"},
    {"f32_32x32x16_f16", {32, 16, 1}, 8, "f16", "f16"},
    {"f32_16x16x32_f16", {16, 32, 1}, 8, "f16", "f16"},
    {"f32_32x32x4_2b_bf16", {32, 4, 2}, 0, "bf16", "bf16"},
    {"f32_16x16x4_4b_bf16", {16, 4, 4}, 0, "bf16", "bf16"},
    {"f32_4x4x4_16b_bf16", {4, 4, 16}, 0, "bf16", "bf16"},
    {"f32_32x32x8_bf16", {32, 8, 1}, 4, "bf16", "bf16"},
    {"f32_16x16x16_bf16", {16, 16, 1}, 4, "bf16", "bf16"},
    {"f32_32x32x16_bf16", {32, 16, 1}, 8, "bf16", "bf16"},
    {"f32_16x16x32_bf16", {16, 32, 1}, 8, "bf16", "bf16"},
    {"i32_32x32x4_2b_i8", {32, 4, 2}, 0, "i8", "i8"},
    {"i32_16x16x4_4b_i8", {16, 4, 4}, 0, "i8", "i8"},
    {"i32_4x4x4_16b_i8", {4, 4, 16}, 0, "i8", "i8"},
    {"i32_32x32x16_i8", {32, 16, 1}, 8, "i8", "i8"},
    {"i32_16x16x32_i8", {16, 32, 1}, 8, "i8", "i8"},
    {"i32_32x32x32_i8", {32, 32, 1}, 16, "i8", "i8"},
    {"i32_16x16x64_i8", {16, 64, 1}, 16, "i8", "i8"},
    {"f32_16x16x32_bf8_bf8", {16, 32, 1}, 8, "bf8", "bf8"},
    {"f32_16x16x32_bf8_fp8", {16, 32, 1}, 8, "bf8", "fp8"},
    {"f32_16x16x32_fp8_bf8", {16, 32, 1}, 8, "fp8", "bf8"},
    {"f32_16x16x32_fp8_fp8", {16, 32, 1}, 8, "fp8", "fp8"},
    {"f32_32x32x16_bf8_bf8", {32, 16, 1}, 8, "bf8", "bf8"},
    {"f32_32x32x16_bf8_fp8", {32, 16, 1}, 8, "bf8", "fp8"},
    {"f32_32x32x16_fp8_bf8", {32, 16, 1}, 8, "fp8", "bf8"},
    {"f32_32x32x16_fp8_fp8", {32, 16, 1}, 8, "fp8", "fp8"},
};
const Dense& named(const std::string& name) {
  for (const Dense& d : dense)
    if (d.name == name) return d;
  throw std::logic_error(name);
}

/// A random code whose value is an integer of magnitude <= 4: sums of such products are exact in every order.
uint32_t small_integer(const std::string& type, Random& random) {
  const OperandType& t = operand_types().at(type);
  const int wanted = int(random() % 9) - 4;
  if (t.width == 32) return numerics::bits_of(float(wanted));
  static std::map<std::pair<std::string, int>, uint32_t> codes;
  if (codes.empty())
    for (const auto& [name, of] : operand_types())
      for (uint32_t code = 0; of.width < 32 && code < 1u << of.width; ++code)
        if (const float x = of.value(code); std::abs(x) <= 4 && x == std::round(x))
          codes[{name, int(x)}] = code;
  return codes.at({type, wanted});
}
uint32_t any_code(const std::string& type, Random& random) {
  const int width = operand_types().at(type).width;
  return width == 32 ? random() : random() & ((1u << width) - 1);
}
/// Random code whose value is finite.
uint32_t finite_code(const std::string& type, Random& random) {
  for (;;)
    if (const uint32_t code = any_code(type, random); std::isfinite(operand_types().at(type).value(code)))
      return code;
}

struct Filled {
  Codes a, b;
  std::vector<uint32_t> c; // [register][lane]
};
Filled fill(OneWave& wave, const Dense& d, Random& random, uint32_t (*code)(const std::string&, Random&),
            const std::function<uint32_t(Random&)>& c) {
  Filled f;
  const KOf k_of = [&](int slice, int item) { return d.k_step * slice + item; };
  f.a = random_codes(d.shape, random, [&](Random& r) { return code(d.a, r); });
  f.b = random_codes(d.shape, random, [&](Random& r) { return code(d.b, r); });
  write_operand(wave, 0, d.shape, operand_types().at(d.a).width, f.a, k_of);
  write_operand(wave, 16, d.shape, operand_types().at(d.b).width, f.b, k_of);
  for (int r = 0; r < output_registers(d.shape); ++r)
    for (int l = 0; l < 64; ++l) {
      f.c.push_back(c(random));
      wave.lane(64 + r, l) = f.c.back();
    }
  return f;
}

std::vector<uint32_t> results(OneWave& wave, const Shape& shape, int vgpr = 128) {
  const uint32_t* first = &wave.lane(vgpr, 0);
  return {first, first + 64 * output_registers(shape)};
}

std::vector<float> values(const std::vector<uint32_t>& codes, const std::string& type) {
  std::vector<float> v;
  for (uint32_t code : codes) v.push_back(operand_types().at(type).value(code));
  return v;
}

/// D by `dot(a row, b column, c bits)`.
std::vector<uint32_t>
expected(const Dense& d, const Filled& f,
         const std::function<uint32_t(const std::vector<float>&, const std::vector<float>&, uint32_t)>& dot) {
  std::vector<uint32_t> out;
  for (int r = 0; r < output_registers(d.shape); ++r)
    for (int l = 0; l < 64; ++l) {
      const Element e = output_element(d.shape, l, r);
      out.push_back(
          dot(values(f.a[e.block][e.row], d.a), values(f.b[e.block][e.column], d.b), f.c[64 * r + l]));
    }
  return out;
}

uint32_t exact_product(const Dense& d, const std::vector<float>& a, const std::vector<float>& b, uint32_t c) {
  double sum = d.a == "i8" ? double(int32_t(c)) : double(numerics::float_of(c));
  for (size_t k = 0; k < a.size(); ++k) sum += double(a[k]) * b[k];
  return d.a == "i8" ? uint32_t(int32_t(sum)) : numerics::bits_of(float(sum));
}
uint32_t integer_c(const Dense& d, Random& random) {
  const int value = int(random() % 2001) - 1000;
  return d.a == "i8" ? uint32_t(value) : numerics::bits_of(float(value));
}

} // namespace

TEST_CASE("mfma: every shape and type multiplies the matrices that its registers hold") {
  on_every_simd([] {
    for (const Dense& d : dense) {
      INFO(d.name);
      OneWave wave;
      Random random;
      const Filled f = fill(wave, d, random, small_integer, [&](Random& r) { return integer_c(d, r); });
      wave.wave().set_exec(0x5555); // ignored
      wave.run(instruction(d));
      const auto product = [&](const auto& a, const auto& b, uint32_t c) {
        return exact_product(d, a, b, c);
      };
      CHECK(results(wave, d.shape) == expected(d, f, product));
    }
  });
}

TEST_CASE("mfma: fma form agrees bit for bit with the scalar chain, NaN and infinity included") {
  on_every_simd([] {
    for (const Dense& d : dense) {
      if (d.a == "i8") continue;
      for (bool finite : {true, false}) {
        INFO(d.name << (finite ? " finite" : " any pattern"));
        OneWave wave;
        Random random;
        const Filled f = fill(wave, d, random, finite ? finite_code : any_code, [&](Random& r) {
          return finite ? numerics::bits_of(std::ldexp(float(int32_t(r())), -20)) : r();
        });
        wave.run(instruction(d));
        CHECK(results(wave, d.shape) == expected(d, f, [](const auto& a, const auto& b, uint32_t c) {
                return numerics::bits_of(numerics::dot_fma(a, b, numerics::float_of(c)));
              }));
      }
    }
  });
}

TEST_CASE("mfma: fdpa form agrees bit for bit with the scalar model, NaN and infinity included") {
  using namespace numerics;
  const auto model_of = [](const Dense& d) {
    const auto format = [](const std::string& type) { return type == "fp8" ? Format::fp8 : Format::bf8; };
    return d.a == "f16"    ? fdpa_of_f16()
           : d.a == "bf16" ? fdpa_of_bf16()
                           : fdpa_of_fp8(format(d.a), format(d.b));
  };
  on_every_simd([&] {
    for (const Dense& d : dense) {
      if (d.a == "i8" || d.a == "f32") continue;
      for (bool finite : {true, false}) {
        INFO(d.name << (finite ? " finite" : " any pattern"));
        OneWave wave;
        wave.options().mfma = machine::MfmaArithmetic::fdpa;
        Random random;
        const Filled f = fill(wave, d, random, finite ? finite_code : any_code, [&](Random& r) {
          return finite ? bits_of(std::ldexp(float(int32_t(r())), -int(r() % 64))) : r();
        });
        wave.run(instruction(d));
        const auto got = results(wave, d.shape);
        CHECK(got == expected(d, f, [&](const auto& a, const auto& b, uint32_t c) {
                return bits_of(dot_fdpa(a, b, float_of(c), model_of(d)));
              }));
        CHECK(got != expected(d, f, [&](const auto& a, const auto& b, uint32_t c) {
                return bits_of(dot_fma(a, b, float_of(c)));
              }));
      }
    }
  });
}

TEST_CASE("mfma: i8 wraps, and saturates with FP16_OVFL") {
  const Dense& d = named("i32_16x16x64_i8");
  for (bool saturate : {false, true}) {
    OneWave wave;
    wave.wave().mode |= uint32_t(saturate) << 23;
    Random random;
    const Filled f = fill(wave, d, random, any_code, [](Random& r) { return 0x7fffff00u + r() % 256; });
    wave.run(instruction(d));
    CHECK(results(wave, d.shape) == expected(d, f, [&](const auto& a, const auto& b, uint32_t c) {
            double sum = int32_t(c);
            for (size_t k = 0; k < a.size(); ++k) sum += double(a[k]) * b[k];
            if (saturate) sum = std::min(sum, 2147483647.0);
            return uint32_t(int64_t(sum));
          }));
  }
}

TEST_CASE("mfma: FP16_OVFL clamps infinite f32 results") {
  const Dense& d = named("f32_16x16x32_bf16");
  OneWave wave;
  wave.wave().mode |= 1u << 23;
  for (int l = 0; l < 64; ++l)
    for (int r = 0; r < 4; ++r)
      wave.lane(r, l) = 0x7f007f00, wave.lane(16 + r, l) = l % 2 ? 0x41004100 : 0xc100c100;
  wave.run(instruction(d, "", "0"));
  CHECK(wave.lane_f32(128, 0) == -3.4028235e38f);
  CHECK(wave.lane_f32(131, 1) == 3.4028235e38f);
}

TEST_CASE("mfma: C as constant, in place, and accumulator registers") {
  const Dense& d = named("f32_32x32x8_f16");
  const auto product = [&](const auto& a, const auto& b, uint32_t c) { return exact_product(d, a, b, c); };
  OneWave wave;
  Random random;
  Filled f = fill(wave, d, random, small_integer, [&](Random& r) { return integer_c(d, r); });
  const auto reference = expected(d, f, product);

  SECTION("in place") {
    wave.run("v_mfma_f32_32x32x8_f16 v[64:79], v[0:1], v[16:17], v[64:79]");
    CHECK(results(wave, d.shape, 64) == reference);
  }
  SECTION("D over A and B") {
    wave.run("v_mfma_f32_32x32x8_f16 v[4:19], v[0:1], v[16:17], v[64:79]");
    CHECK(results(wave, d.shape, 4) == reference);
  }
  SECTION("accumulators") {
    for (int r = 0; r < 16; ++r)
      for (int l = 0; l < 64; ++l) wave.lane(256 + r, l) = wave.lane(64 + r, l);
    for (int r = 0; r < 2; ++r)
      for (int l = 0; l < 64; ++l) wave.lane(256 + 32 + r, l) = wave.lane(16 + r, l);
    wave.run("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], a[32:33], a[0:15]");
    CHECK(results(wave, d.shape, 256) == reference);
  }
  SECTION("constants") {
    std::fill(f.c.begin(), f.c.end(), numerics::bits_of(-4.0f));
    wave.run(instruction(d, "", "-4.0"));
    CHECK(results(wave, d.shape) == expected(d, f, product));
    std::fill(f.c.begin(), f.c.end(), 3u); // an integer constant is a bit pattern
    wave.run(instruction(d, "", "3"));
    CHECK(results(wave, d.shape) == expected(d, f, product));
  }
}

TEST_CASE("mfma: D may overlap C by half in the shape where the assembler allows it") {
  const Dense& d = named("f32_4x4x4_16b_f16");
  OneWave wave;
  Random random;
  const Filled f = fill(wave, d, random, small_integer, [&](Random& r) { return integer_c(d, r); });
  wave.run("v_mfma_f32_4x4x4_16b_f16 v[66:69], v[0:1], v[16:17], v[64:67]");
  const auto product = [&](const auto& a, const auto& b, uint32_t c) { return exact_product(d, a, b, c); };
  CHECK(results(wave, d.shape, 66) == expected(d, f, product));
}

TEST_CASE("mfma: cbsz and abid broadcast blocks of A, blgp permutes lanes of B") {
  struct Case {
    int cbsz, abid, blgp;
  };
  const Dense& d = named("f32_16x16x4_4b_f16");
  for (const Case& c : {Case{1, 0, 0}, Case{1, 1, 0}, Case{2, 3, 0}, Case{0, 0, 1}, Case{0, 0, 2},
                        Case{0, 0, 3}, Case{0, 0, 4}, Case{0, 0, 6}, Case{2, 1, 7}}) {
    INFO("cbsz " << c.cbsz << " abid " << c.abid << " blgp " << c.blgp);
    OneWave wave, permuted;
    Random random;
    fill(wave, d, random, small_integer, [&](Random& r) { return integer_c(d, r); });
    const int span = 64 >> c.cbsz;
    for (int r = 0; r < 128; ++r)
      for (int l = 0; l < 64; ++l) permuted.lane(r, l) = wave.lane(r, l);
    for (int r = 0; r < 2; ++r)
      for (int l = 0; l < 64; ++l) {
        permuted.lane(r, l) = wave.lane(r, l % span + span * c.abid);
        const int from[] = {l,      l % 32,      l % 32 + 32, (l + 16) % 64,
                            l % 16, l % 16 + 16, l % 16 + 32, l % 16 + 48};
        permuted.lane(16 + r, l) = wave.lane(16 + r, from[c.blgp]);
      }
    wave.run(instruction(d, " cbsz:" + std::to_string(c.cbsz) + " abid:" + std::to_string(c.abid) +
                                " blgp:" + std::to_string(c.blgp)));
    permuted.run(instruction(d));
    CHECK(results(wave, d.shape) == results(permuted, d.shape));
  }
}

TEST_CASE("mfma: a broadcast of blocks that do not exist stops the launch") {
  const std::string refusal = "cbsz or abid of a matrix instruction names blocks of A that it does not have";
  for (const std::string& text : {instruction(named("f32_16x16x4_4b_f16"), " cbsz:3"),
                                  instruction(named("f32_16x16x4_4b_f16"), " cbsz:1 abid:2"),
                                  instruction(named("f32_16x16x32_bf16"), " cbsz:7")}) {
    OneWave wave;
    CHECK_THROWS_WITH(wave.run(text), Catch::Contains(refusal));
  }
}
