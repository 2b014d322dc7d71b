// SMFMAC: two stored values of every four k, placed by an index register, against a dense scalar product.
// Register tables of mfma_gfx950.md section 2.6, as errata.md corrects them.
#include "tests/emulator/memory_case.hpp"
#include "tests/emulator/mfma_case.hpp"

#include <cmath>

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Sparse {
  std::string name; // without "v_smfmac_"
  int m, k, width, registers_b;
  int slice_step;   // the table's 8g or 16g
  int second_half;  // the table's P, or 0 where B has four registers
  std::string a, b; // types
  int k_of(int slice, int item) const {
    const int per_register = 32 / width, v = item / per_register, part = item % per_register;
    return v < 4 ? slice_step * slice + per_register * v + part
                 : second_half + slice_step * slice + per_register * (v - 4) + part;
  }
  // A's are consecutive in a lane (errata.md): which four of k stored value n chooses from.
  int first_of_four(int slice, int n) const { return (k * m / 64 * slice + 2 * n) / 4 * 4; }
  int index_bits() const { return 2 * (k / 2) * m / 64; }
};

const std::vector<Sparse> all = [] {
  std::vector<Sparse> list;
  for (const std::string type : {"f16", "bf16"}) {
    list.push_back({"f32_16x16x32_" + type, 16, 32, 16, 4, 8, 0, type, type});
    list.push_back({"f32_32x32x16_" + type, 32, 16, 16, 4, 8, 0, type, type});
    list.push_back({"f32_16x16x64_" + type, 16, 64, 16, 8, 8, 32, type, type});
    list.push_back({"f32_32x32x32_" + type, 32, 32, 16, 8, 8, 16, type, type});
  }
  const auto bytes = [&](const std::string& result, const std::string& suffix, const std::string& a,
                         const std::string& b) {
    list.push_back({result + "_16x16x64_" + suffix, 16, 64, 8, 4, 16, 0, a, b});
    list.push_back({result + "_32x32x32_" + suffix, 32, 32, 8, 4, 16, 0, a, b});
    list.push_back({result + "_16x16x128_" + suffix, 16, 128, 8, 8, 16, 64, a, b});
    list.push_back({result + "_32x32x64_" + suffix, 32, 64, 8, 8, 16, 32, a, b});
  };
  bytes("i32", "i8", "i8", "i8");
  for (const std::string a : {"fp8", "bf8"})
    for (const std::string b : {"fp8", "bf8"}) bytes("f32", a + "_" + b, a, b);
  return list;
}();

uint32_t integer_code(const std::string& type, Random& random) { // magnitude 1..4
  const OperandType& t = operand_types().at(type);
  for (;;) {
    const uint32_t code = type == "f16"    ? 0x3c00 + (random() % 3 << 10) + (random() & 0x8000)
                          : type == "bf16" ? 0x3f80 + (random() % 3 << 7) + (random() & 0x8000)
                                           : random() & 255;
    const float x = t.value(code);
    if (std::abs(x) <= 4 && x == std::round(x)) return code;
  }
}

void check(const Sparse& s, int cbsz, int abid) {
  INFO(s.name << " cbsz " << cbsz << " abid " << abid);
  OneWave wave;
  Random random;
  const Shape dense{s.m, s.k, 1};
  const Codes b = random_codes(dense, random, [&](Random& r) { return integer_code(s.b, r); });
  write_operand(wave, 16, dense, s.width, b, [&](int g, int t) { return s.k_of(g, t); });

  const int stored = s.k / 2 * s.m / 64, bits = s.index_bits();
  const int sets = 32 / bits, set = cbsz == 0 ? abid % sets : 0;
  std::vector<std::vector<double>> a(s.m, std::vector<double>(s.k, 0));
  for (int lane = 0; lane < 64; ++lane) {
    wave.lane(40, lane) = random();
    for (int n = 0; n < stored; n += 2) {
      const int first = int(random() % 3), second = first + 1 + int(random() % (3 - first));
      for (int which : {0, 1}) {
        const uint32_t code = integer_code(s.a, random), place = uint32_t(which ? second : first);
        write_item(wave, 0, lane, n + which, s.width, code);
        write_item(wave, 40, lane, set * stored + n + which, 2, place);
        a[lane % s.m][s.first_of_four(lane / s.m, n) + place] = operand_types().at(s.a).value(code);
      }
    }
  }
  const bool integer = s.a == "i8";
  const int results = output_registers(dense);
  std::vector<double> c;
  for (int r = 0; r < results; ++r)
    for (int l = 0; l < 64; ++l) {
      c.push_back(int(random() % 200) - 100);
      wave.lane(64 + r, l) = integer ? uint32_t(int(c.back())) : numerics::bits_of(float(c.back()));
    }
  const auto range = [](int first, int count) {
    return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
  };
  wave.run("v_smfmac_" + s.name + " " + range(64, results) + ", " + range(0, s.registers_b / 2) + ", " +
           range(16, s.registers_b) + ", v40 cbsz:" + std::to_string(cbsz) + " abid:" + std::to_string(abid));
  int wrong = 0;
  for (int r = 0; r < results; ++r)
    for (int l = 0; l < 64; ++l) {
      const Element e = output_element(dense, l, r);
      double want = c[64 * r + l];
      for (int k = 0; k < s.k; ++k) want += a[e.row][k] * operand_types().at(s.b).value(b[0][e.column][k]);
      const double got = integer ? double(int32_t(wave.lane(64 + r, l))) : double(wave.lane_f32(64 + r, l));
      wrong += got != want;
    }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("smfmac: every shape and type, by each index set") {
  on_every_simd([] {
    for (const Sparse& s : all) {
      for (int abid = 0; abid < 32 / s.index_bits(); ++abid) check(s, 0, abid);
      check(s, 1, 1);
    }
  });
}

TEST_CASE("smfmac: NaN by the scalar rule, fdpa over the stored products") {
  on_every_simd([] {
    OneWave wave;
    for (int l = 0; l < 64; ++l) {
      wave.lane(40, l) = 0x44444444; // positions 0 and 1 of every four
      for (int r = 0; r < 8; ++r) wave.lane(r, l) = 0x3c003c00;
      for (int r = 16; r < 24; ++r) wave.lane(r, l) = 0x3c003c00;
    }
    wave.lane(0, 3) = 0x3c007c01;  // a signaling NaN in row 3
    wave.lane(16, 5) = 0x3c00fe07; // a NaN in column 5
    wave.run("v_smfmac_f32_16x16x32_f16 v[64:67], v[0:1], v[16:19], v40");
    CHECK(wave.lane(64 + 3, 0) == 0x7fc02000);
    CHECK(wave.lane(64 + 3, 5) == 0x7fc02000); // A's NaN first
    CHECK(wave.lane(64 + 2, 5) == 0xffc0e000);
    CHECK(wave.lane_f32(64, 0) == 16.0f);
  });
  for (const auto form : {machine::MfmaArithmetic::fma, machine::MfmaArithmetic::fdpa}) {
    OneWave wave;
    wave.options().mfma = form;
    for (int l = 0; l < 64; ++l) {
      wave.lane(40, l) = 0x44444444;
      if (l < 16) wave.lane(0, l) = 0x3c00; // one product per element
      for (int r : {16, 17, 18, 19}) wave.lane(r, l) = 0x3c003c00;
      wave.lane_f32(64, l) = -0x1p-60f; // costs 2^-24 in the fdpa form, nothing in the other
    }
    wave.run("v_smfmac_f32_16x16x32_f16 v[64:67], v[0:1], v[16:19], v40");
    CHECK(wave.lane_f32(64, 0) == (form == machine::MfmaArithmetic::fma ? 1.0f : 1.0f - 0x1p-24f));
  }
}
