#include "calibration/differential.hpp"

#include "calibration/differential_arguments.hpp"
#include "interface/hip.hpp"
#include "numerics/target.hpp"

#include <fmt/format.h>
#include <vector>

namespace fmha950::calibration {
namespace {

constexpr DifferentialInstruction instructions[] = {{"add_f32", 0x7417f39a},
                                                    {"mul_f32", 0xe425781b},
                                                    {"fma_f32", 0x76ca304a},
                                                    {"max_f32", 0x4dbb1be2},
                                                    {"max3_f32", 0x4788e9fb},
                                                    {"med3_f32", 0xae86aab4},
                                                    {"rndne_f32", 0x038c147e},
                                                    {"ldexp_f32", 0xec827c7d},
                                                    {"frexp_mant_f32", 0x69f100ea},
                                                    {"fma_f16", 0x84a6981d},
                                                    {"pk_fma_f16", 0x0dbafd0e},
                                                    {"pk_fma_f32", 0x9117b2b6},
                                                    {"fma_f64", 0x41a3d847},
                                                    {"cvt_f16_f32", 0xb92dd508},
                                                    {"cvt_i32_f32", 0xf6d7bad1},
                                                    {"cvt_pk_bf16_f32", 0x0db03709},
                                                    {"cvt_pk_fp8_f32", 0x67b4f68e},
                                                    {"cvt_pk_bf8_f32", 0x2a4e21d5},
                                                    {"cvt_f32_fp8", 0x87837ef5},
                                                    {"cvt_f32_bf8", 0x74274e81},
                                                    {"cvt_scale_pk_fp8_f32", 0x706e6eea},
                                                    {"cvt_pk_u8_f32", 0x7dd2b687, 0x98da44e7},
                                                    {"mul_lo_u32", 0x2349c5ff},
                                                    {"mul_hi_u32", 0x7eee862d},
                                                    {"mad_u32_u24", 0x7387070a},
                                                    {"lshl_add_u32", 0x4483925b},
                                                    {"bfe_i32", 0xc03258ab},
                                                    {"bfi_b32", 0x3182feb6},
                                                    {"perm_b32", 0x7b5c5de2},
                                                    {"alignbit_b32", 0xd1530513},
                                                    {"bitop3_b32", 0x7b80345d},
                                                    {"dot4_i32_i8", 0x2a4a6f72},
                                                    {"row_shr", 0x633146f6},
                                                    {"quad_perm", 0x06db6cb0},
                                                    {"bpermute", 0xe44503dd},
                                                    {"swizzle", 0x706236ee}};

} // namespace

std::span<const DifferentialInstruction> differential_instructions() { return instructions; }

uint32_t digest_of(const DifferentialInstruction& instruction) {
  constexpr size_t wave_lanes = target.wave_lanes;
  const hip::Kernel kernel =
      hip::load_kernel("calibration_differential", fmt::format("differential_{}", instruction.name));
  const hip::Buffer output(wave_lanes * sizeof(uint32_t));
  const DifferentialArguments arguments{output.as<uint32_t>()};
  hip::launch(kernel, {1}, {wave_lanes}, &arguments, sizeof arguments, nullptr);
  std::vector<uint32_t> lanes(wave_lanes);
  output.download(lanes.data(), output.bytes());
  uint32_t digest = 0x811c9dc5; // FNV-1a, by words
  for (const uint32_t lane : lanes) digest = (digest ^ lane) * 0x01000193;
  return digest;
}

} // namespace fmha950::calibration
