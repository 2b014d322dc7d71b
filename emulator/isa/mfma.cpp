// Dense matrix instructions with f32 or i32 results:
// D = C + A*B per block (mfma_gfx950.md sections 1 and 2).
#include "emulator/isa/families.hpp"
#include "emulator/isa/mfma_fdpa.hpp"
#include "emulator/isa/mfma_models.hpp"
#include "emulator/isa/mfma_tile.hpp"
#include "emulator/memory/fault.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

/// cbsz, abid and blgp of a MAI encoding (facts 2.1, 2.5).
struct Broadcast {
  explicit Broadcast(const Instruction& in)
      : cbsz(in.words[0] >> 8 & 7), abid(in.words[0] >> 11 & 15), blgp(in.words[1] >> 29) {}
  int lane_of_a(int lane) const {
    const int span = wave_lanes >> cbsz;
    return lane % span + span * abid;
  }
  int lane_of_b(int lane) const {
    switch (blgp) {
    case 0: return lane;
    case 1: return lane % 32;
    case 2: return lane % 32 + 32;
    case 3: return (lane + 16) % wave_lanes;
    default: return lane % 16 + 16 * (blgp - 4);
    }
  }
  /// More blocks than the instruction has, or a block beyond them, is undefined (facts 2.5).
  void require_within(int blocks) const {
    if (1 << cbsz > blocks || abid >> cbsz)
      machine::raise_fault("cbsz or abid of a matrix instruction names blocks of A that it does not have");
  }
  int cbsz, abid, blgp;
};

template <class Shape, class Type>
[[gnu::noinline]] void unpack_permuted(const uint32_t* registers, const int (&lane_of)[wave_lanes],
                                       Unpacked<Shape, typename Type::Element>& operand) {
  constexpr int words = Shape::k_per_lane * Type::width / 32;
  alignas(64) uint32_t permuted[words * wave_lanes];
  for (int word = 0; word < words; ++word)
    for (int lane = 0; lane < wave_lanes; ++lane)
      permuted[word * wave_lanes + lane] = registers[word * wave_lanes + lane_of[lane]];
  unpack<Shape, Type>(permuted, operand);
}

template <class Shape, class A, class B> void mfma(Wave& wave, const Instruction& in) {
  using Element = typename A::Element;
  using Definition = Scalar<Shape, A, B>;
  Unpacked<Shape, Element> a, b;
  const Broadcast broadcast(in);
  const uint32_t *registers_a = wave.lanes(in.src[0].index), *registers_b = wave.lanes(in.src[1].index);
  if (broadcast.cbsz == 0) [[likely]] {
    unpack<Shape, A>(registers_a, a);
  } else {
    broadcast.require_within(Shape::blocks);
    int lane_of[wave_lanes];
    for (int lane = 0; lane < wave_lanes; ++lane) lane_of[lane] = broadcast.lane_of_a(lane);
    unpack_permuted<Shape, A>(registers_a, lane_of, a);
  }
  if (broadcast.blgp == 0) [[likely]] {
    unpack<Shape, B>(registers_b, b);
  } else {
    int lane_of[wave_lanes];
    for (int lane = 0; lane < wave_lanes; ++lane) lane_of[lane] = broadcast.lane_of_b(lane);
    unpack_permuted<Shape, B>(registers_b, lane_of, b);
  }

  alignas(64) uint32_t copy[output_words<Shape>];
  const uint32_t* c = addend<Shape>(wave, in, copy);
  uint32_t* d = wave.lanes(in.dst);
  if constexpr (__is_same(Element, float)) {
    // f32 operands are a chain of FMAs in either form (facts 1.2).
    const bool fdpa = !__is_same(A, F32) && uses_fdpa(wave);
    for (int block = 0; block < Shape::blocks; ++block) {
      if (fdpa) [[unlikely]]
        multiply_fdpa(a, b, block, c, d, fdpa_model<A, B>(), Definition::fdpa);
      else
        multiply(a, b, block, c, d, Definition::fma);
    }
    if (clamps_overflow(wave)) [[unlikely]]
      clamp_infinities(d, output_words<Shape>);
  } else {
    if (clamps_overflow(wave)) [[unlikely]]
      return multiply_by_element(a, b, c, d, Definition::saturated);
    for (int block = 0; block < Shape::blocks; ++block) multiply(a, b, block, c, d, Definition::saturated);
  }
}

template <class Shape, class A, class B> constexpr Row dense(const char* mnemonic, Passes passes) {
  constexpr MatrixUnit unit = __is_same(A, F32) ? MatrixUnit::sgemm : MatrixUnit::xdl;
  return {.mnemonic = mnemonic,
          .execute = mfma<Shape, A, B>,
          .matrix = matrix_facts<Shape>(unit, MatrixForm::dense, Shape::depth, passes, is_fp8<A>),
          .approximation = open_sums<A>};
}

constexpr Row rows[] = {
    dense<Shape<32, 1, 2>, F32, F32>("v_mfma_f32_32x32x1_2b_f32", Passes(16)),
    dense<Shape<16, 1, 4>, F32, F32>("v_mfma_f32_16x16x1_4b_f32", Passes(8)),
    dense<Shape<4, 1, 16>, F32, F32>("v_mfma_f32_4x4x1_16b_f32", Passes(2)),
    dense<Shape<32, 2>, F32, F32>("v_mfma_f32_32x32x2_f32", Passes(16)),
    dense<Shape<16, 4>, F32, F32>("v_mfma_f32_16x16x4_f32", Passes(8)),

    dense<Shape<32, 4, 2>, F16, F16>("v_mfma_f32_32x32x4_2b_f16", Passes(16)),
    dense<Shape<16, 4, 4>, F16, F16>("v_mfma_f32_16x16x4_4b_f16", Passes(8)),
    dense<Shape<4, 4, 16>, F16, F16>("v_mfma_f32_4x4x4_16b_f16", Passes(2)),
    dense<Shape<32, 8>, F16, F16>("v_mfma_f32_32x32x8_f16", Passes(8)),
    dense<Shape<16, 16>, F16, F16>("v_mfma_f32_16x16x16_f16", Passes(4)),
    dense<Shape<32, 16>, F16, F16>("v_mfma_f32_32x32x16_f16", Passes(8)),
    dense<Shape<16, 32>, F16, F16>("v_mfma_f32_16x16x32_f16", Passes(4)),

    dense<Shape<32, 4, 2>, Bf16, Bf16>("v_mfma_f32_32x32x4_2b_bf16", Passes(16)),
    dense<Shape<16, 4, 4>, Bf16, Bf16>("v_mfma_f32_16x16x4_4b_bf16", Passes(8)),
    dense<Shape<4, 4, 16>, Bf16, Bf16>("v_mfma_f32_4x4x4_16b_bf16", Passes(2)),
    dense<Shape<32, 8>, Bf16, Bf16>("v_mfma_f32_32x32x8_bf16", Passes(8)),
    dense<Shape<16, 16>, Bf16, Bf16>("v_mfma_f32_16x16x16_bf16", Passes(4)),
    dense<Shape<32, 16>, Bf16, Bf16>("v_mfma_f32_32x32x16_bf16", Passes(8)),
    dense<Shape<16, 32>, Bf16, Bf16>("v_mfma_f32_16x16x32_bf16", Passes(4)),

    dense<Shape<32, 4, 2>, I8, I8>("v_mfma_i32_32x32x4_2b_i8", Passes(16)),
    dense<Shape<16, 4, 4>, I8, I8>("v_mfma_i32_16x16x4_4b_i8", Passes(8)),
    dense<Shape<4, 4, 16>, I8, I8>("v_mfma_i32_4x4x4_16b_i8", Passes(2)),
    dense<Shape<32, 16>, I8, I8>("v_mfma_i32_32x32x16_i8", Passes(8)),
    dense<Shape<16, 32>, I8, I8>("v_mfma_i32_16x16x32_i8", Passes(4)),
    dense<Shape<32, 32>, I8, I8>("v_mfma_i32_32x32x32_i8", Passes(8)),
    dense<Shape<16, 64>, I8, I8>("v_mfma_i32_16x16x64_i8", Passes(4)),

    dense<Shape<16, 32>, Bf8, Bf8>("v_mfma_f32_16x16x32_bf8_bf8", Passes(4)),
    dense<Shape<16, 32>, Bf8, Fp8>("v_mfma_f32_16x16x32_bf8_fp8", Passes(4)),
    dense<Shape<16, 32>, Fp8, Bf8>("v_mfma_f32_16x16x32_fp8_bf8", Passes(4)),
    dense<Shape<16, 32>, Fp8, Fp8>("v_mfma_f32_16x16x32_fp8_fp8", Passes(4)),
    dense<Shape<32, 16>, Bf8, Bf8>("v_mfma_f32_32x32x16_bf8_bf8", Passes(8)),
    dense<Shape<32, 16>, Bf8, Fp8>("v_mfma_f32_32x32x16_bf8_fp8", Passes(8)),
    dense<Shape<32, 16>, Fp8, Bf8>("v_mfma_f32_32x32x16_fp8_bf8", Passes(8)),
    dense<Shape<32, 16>, Fp8, Fp8>("v_mfma_f32_32x32x16_fp8_fp8", Passes(8)),
};
} // namespace
const Rows rows_mfma = rows_of<rows, all_matrix>();
} // namespace fmha950::isa::FMHA950_SIMD
