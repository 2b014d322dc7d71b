// f8f6f4 matrix instructions: layouts of every format mix (mfma_gfx950.md section 3.2), scales and their
// selectors (3.3), both arithmetic forms, bit for bit against numerics on every vector width.
#include "tests/emulator/memory_case.hpp"
#include "tests/emulator/mfma_case.hpp"

#include <cmath>

using namespace fmha950;
using namespace fmha950::test;

namespace {

const std::vector<std::string> formats = {"fp8", "bf8", "fp6", "bf6", "fp4"}; // in order of their codes

struct Problem {
  Shape shape;
  int format_a, format_b;
  int byte_a = 0, byte_b = 0; // of the scale registers
  bool scaled = true;
  std::string text() const {
    const auto registers = [](int first, int count) {
      return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
    };
    const int counts[] = {8, 8, 6, 6, 4}, results = output_registers(shape);
    const auto bits = [](int a, int b) { return "[" + std::to_string(a) + "," + std::to_string(b) + "]"; };
    std::string s = std::string("v_mfma_") + (scaled ? "scale_" : "") + "f32_" +
                    (shape.m == 16 ? "16x16x128" : "32x32x64") + "_f8f6f4 " + registers(128, results) + ", " +
                    registers(0, counts[format_a]) + ", " + registers(16, counts[format_b]) + ", " +
                    registers(64, results);
    if (scaled)
      s += ", v32, v33 op_sel:" + bits(byte_a & 1, byte_b & 1) +
           " op_sel_hi:" + bits(byte_a >> 1, byte_b >> 1);
    return s + " cbsz:" + std::to_string(format_a) + " blgp:" + std::to_string(format_b);
  }
};

KOf k_of(const Shape& shape, const std::string& format) {
  const bool bytes = operand_types().at(format).width == 8;
  return [=](int slice, int t) {
    if (!bytes) return 32 * slice + t;
    return 16 * slice + t % 16 + (t < 16 ? 0 : shape.m == 16 ? 64 : 32);
  };
}

struct Operand {
  Codes codes;
  std::vector<std::vector<uint8_t>> scales; // [row or column][block of 32 k]
  std::vector<float> row(const std::string& format, int i) const {
    std::vector<float> values;
    for (uint32_t code : codes[0][i]) values.push_back(operand_types().at(format).value(code));
    return values;
  }
};

Operand fill_operand(OneWave& wave, const Problem& p, int vgpr, int scale_vgpr, int byte,
                     const std::string& format, Random& random, bool finite, int scale_low, int scale_high) {
  Operand operand;
  const OperandType& type = operand_types().at(format);
  operand.codes = random_codes(p.shape, random, [&](Random& r) {
    for (;;)
      if (const uint32_t code = r() & ((1u << type.width) - 1); !finite || std::isfinite(type.value(code)))
        return code;
  });
  write_operand(wave, vgpr, p.shape, type.width, operand.codes, k_of(p.shape, format));
  operand.scales.assign(p.shape.m, std::vector<uint8_t>(p.shape.k / 32, 127));
  for (int row = 0; row < p.shape.m; ++row)
    for (int block = 0; block < p.shape.k / 32; ++block) {
      const int lane = row + p.shape.m * block;
      wave.lane(scale_vgpr, lane) = random();
      if (!p.scaled) continue;
      auto& scale = operand.scales[row][block] = uint8_t(scale_low + random() % (scale_high - scale_low + 1));
      write_item(wave, scale_vgpr, lane, byte, 8, scale);
    }
  return operand;
}

enum class Form { fma, fdpa };

void check(const Problem& p, Form form, bool finite, int scale_low, int scale_high) {
  INFO(p.text());
  machine::Options options;
  if (form == Form::fdpa) options.mfma = machine::MfmaArithmetic::fdpa;
  OneWave wave(options);
  Random random;
  const std::string &name_a = formats[p.format_a], &name_b = formats[p.format_b];
  const Operand a = fill_operand(wave, p, 0, 32, p.byte_a, name_a, random, finite, scale_low, scale_high);
  const Operand b = fill_operand(wave, p, 16, 33, p.byte_b, name_b, random, finite, scale_low, scale_high);
  for (int r = 0; r < output_registers(p.shape); ++r)
    for (int l = 0; l < 64; ++l) wave.lane_f32(64 + r, l) = float(int32_t(random())) / 65536;
  wave.run(p.text());
  const auto model = numerics::fdpa_of_f8f6f4(numerics::Format(p.format_a), numerics::Format(p.format_b));
  int wrong = 0;
  for (int r = 0; r < output_registers(p.shape); ++r)
    for (int l = 0; l < 64; ++l) {
      const Element e = output_element(p.shape, l, r);
      const auto x = a.row(name_a, e.row), y = b.row(name_b, e.column);
      const float c = wave.lane_f32(64 + r, l);
      const auto &sa = a.scales[e.row], &sb = b.scales[e.column];
      const float want = form == Form::fma ? numerics::dot_fma_scaled(x, y, c, sa, sb)
                                           : numerics::dot_fdpa_scaled(x, y, c, sa, sb, model);
      if (wave.lane(128 + r, l) != numerics::bits_of(want) && ++wrong <= 3)
        UNSCOPED_INFO("register " << r << " lane " << l << ": " << wave.lane_f32(128 + r, l) << ", not "
                                  << want);
    }
  CHECK(wrong == 0);
}

constexpr Shape shapes[] = {{16, 128, 1}, {32, 64, 1}};

} // namespace

TEST_CASE("mfma f8f6f4: every mix of formats, scaled and plain") {
  on_every_simd([] {
    for (const Shape& shape : shapes)
      for (int a = 0; a < 5; ++a)
        for (int b = 0; b < 5; ++b) {
          check({.shape = shape, .format_a = a, .format_b = b, .scaled = false}, Form::fma, true, 0, 0);
          check({.shape = shape, .format_a = a, .format_b = b, .byte_a = a % 4, .byte_b = b % 4}, Form::fma,
                true, 110, 140);
        }
  });
}

TEST_CASE("mfma f8f6f4: each byte of the scale registers by op_sel and op_sel_hi") {
  for (int byte_a = 0; byte_a < 4; ++byte_a)
    for (int byte_b = 0; byte_b < 4; ++byte_b)
      check({.shape = shapes[byte_a % 2], .format_a = 0, .format_b = 4, .byte_a = byte_a, .byte_b = byte_b},
            Form::fma, true, 110, 140);
}

TEST_CASE("mfma f8f6f4: extreme and NaN scales, NaN and infinite elements") {
  on_every_simd([] {
    for (const Shape& shape : shapes) {
      check({.shape = shape, .format_a = 0, .format_b = 0}, Form::fma, true, 0, 255);
      check({.shape = shape, .format_a = 1, .format_b = 0}, Form::fma, false, 0, 255);
      check({.shape = shape, .format_a = 4, .format_b = 2}, Form::fma, true, 0, 40);
      check({.shape = shape, .format_a = 1, .format_b = 1}, Form::fma, false, 120, 130);
    }
  });
}

TEST_CASE("mfma f8f6f4: fdpa form") {
  for (const Shape& shape : shapes) {
    check({.shape = shape, .format_a = 0, .format_b = 0}, Form::fdpa, true, 110, 140);
    check({.shape = shape, .format_a = 1, .format_b = 4}, Form::fdpa, true, 0, 255);
    check({.shape = shape, .format_a = 3, .format_b = 2, .scaled = false}, Form::fdpa, true, 0, 0);
    check({.shape = shape, .format_a = 1, .format_b = 0}, Form::fdpa, false, 100, 150);
  }
}
