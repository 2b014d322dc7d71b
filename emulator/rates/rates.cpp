#include "emulator/rates/rates.hpp"

#include "emulator/program/row.hpp"

#include <algorithm>
#include <iterator>

namespace fmha950::timing {
namespace {

// A scaled MFMA carries its prefix in the first two dwords (mfma_gfx950.md section 3.4).
const uint32_t* mai_words(const isa::Instruction& in) { return in.words + (in.bytes == 16 ? 2 : 0); }

} // namespace

unsigned cbsz(const isa::Instruction& in) { return mai_words(in)[0] >> 8 & 7; }
unsigned blgp(const isa::Instruction& in) { return mai_words(in)[1] >> 29; }

const char* f8f6f4_format(unsigned code) {
  static constexpr const char* names[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
  return code < std::size(names) ? names[code] : "reserved";
}

int matrix_passes(const isa::Instruction& in) {
  const isa::MatrixFacts* matrix = isa::matrix_of(in);
  if (!matrix) return 0;
  // Twice the passes when A or B is 8 bits wide: ISA guide 7.1.2 [D].
  return matrix->passes * (matrix->is_f8f6f4() && (cbsz(in) <= 1 || blgp(in) <= 1) ? 2 : 1);
}

int valu_clocks(const isa::ValuFacts& facts) {
  switch (facts.kind) {
  case isa::ValuClass::transcendental:
    // 6.3: 7.8 clocks measured for f32 [M], AMD says the rate of CDNA3 doubled; f16 like f32 is a guess, and so
    // is f64 (the guide only allows up to 16 slots).
    return facts.widest == 2 ? 32 : 8;
  case isa::ValuClass::wide_multiply: return 16; // 6.3: a quarter of the rate on older gfx9 [R]
  case isa::ValuClass::conversion:
    // Nothing public on the forms that convert 32 values: guess 4 clocks for every 4 of the 32 or 16 VGPRs that
    // the wide side has.
    return std::max<int>(facts.widest, 4);
  case isa::ValuClass::none:
  case isa::ValuClass::plain:
  case isa::ValuClass::packed:
  case isa::ValuClass::dot:
  case isa::ValuClass::fma_f64: break;
  }
  // 6.3: f32, i32, f16 and packed 16-bit on 16 lanes per clock [D]; v_pk_*_f32 and f64 from the peaks of the
  // data sheet [I]; DPP, SDWA, v_cvt, v_perm [I].
  return 4;
}

} // namespace fmha950::timing
