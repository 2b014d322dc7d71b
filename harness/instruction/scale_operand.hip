// One scaled matrix instruction per wave, on registers that the host has filled: what is swept is the host's.

#include "gfx950/mfma_fp8.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/unroll.hpp"
#include "harness/instruction/kernel_arguments.hpp"

namespace fmha950::instruction {

using namespace gfx950;

template <class Mfma> FMHA950_INLINE void run(const ScaleOperandArguments& arguments) {
  const uint32_t place = workgroup_id_x() * wave_lanes + lane_id();
  const Word8 a = reinterpret_cast<const Word8*>(arguments.a)[lane_id()];
  const Word8 b = reinterpret_cast<const Word8*>(arguments.b)[lane_id()];
  const uint32_t a_scales = (protection("scale_operands") ? arguments.a_scales : arguments.b_scales)[place];
  const uint32_t b_scales = (protection("scale_operands") ? arguments.b_scales : arguments.a_scales)[place];
  typename Mfma::Accumulator d = {};
  // Which byte counts is part of the instruction.
  unrolled<4>([&](auto a_byte) {
    unrolled<4>([&](auto b_byte) {
      constexpr int used = protection("scale_byte") ? decltype(b_byte){} : (b_byte + 1) % 4;
      if (arguments.a_byte == a_byte && arguments.b_byte == b_byte)
        d = Mfma::template multiply_add<a_byte, used>(a, b, d, a_scales, b_scales);
    });
  });
  constexpr int registers = sizeof d / sizeof d[0];
  for (int r = 0; r < registers; ++r)
    arguments.d[(workgroup_id_x() * registers + r) * wave_lanes + lane_id()] = d[r];
}

FMHA950_KERNEL(64, 1) void scale_operand_16x16x128(ScaleOperandArguments arguments) {
  run<Fp8Mfma16x16x128>(arguments);
}
FMHA950_KERNEL(64, 1) void scale_operand_32x32x64(ScaleOperandArguments arguments) {
  run<Fp8Mfma32x32x64>(arguments);
}

} // namespace fmha950::instruction
