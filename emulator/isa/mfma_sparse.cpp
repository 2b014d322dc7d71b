// SMFMAC: D += A*B where A holds two of every four k, their places given by 2-bit indices (mfma_gfx950.md
// section 2.6). Which products a silicon step fuses is unknown; both arithmetic forms take the
// stored ones in order of k.
#include "emulator/isa/families.hpp"
#include "emulator/isa/mfma_models.hpp"
#include "emulator/isa/mfma_tile.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

/// B, dense. Operands of eight registers keep the halves of k apart.
template <int M, int K> struct ShapeDense : Shape<M, K> {
  template <class Type> static constexpr int k_of(int slice, int item) {
    constexpr int items = Shape<M, K>::k_per_lane, half = items / 2;
    if (items * Type::width < 8 * 32) return items * slice + item;
    return half * slice + item % half + K / 2 * (item / half);
  }
};
/// A, whose k are consecutive in a lane even where B's are in halves: errata.md for fp8 16x16x128; that it holds for every
/// shape of doubled K is a guess.
template <int M, int K> using ShapeStored = Shape<M, K / 2>;

template <int M, int K, class Element> struct Operands {
  static constexpr int depth = K / 2; // of A as it is stored
  Unpacked<ShapeStored<M, K>, Element> a;
  Unpacked<ShapeDense<M, K>, Element> b;
  uint8_t dense_k[M][depth]; // where a stored value of a row of A belongs
};

/// Which elements are computed again by the scalar definition: none, those that are NaN (multiply() of mfma_tile.hpp says
/// why), or all.
enum class Again : uint8_t { none, nan, all };

/// One copy serves all types of A and B.
template <int M, int K, class Element>
[[gnu::noinline]] void multiply_sparse(const Operands<M, K, Element>& in, uint32_t* d, Again again,
                                       ScalarDot<Element> dot) {
  constexpr int depth = Operands<M, K, Element>::depth;
  for (int i = 0; i < M; ++i) {
    uint32_t* out = d + output_word<ShapeStored<M, K>>(0, i);
    const auto c = load_vector<Element, M>(out);
    Vector<Element, M> sum = c;
    for (int s = 0; s < depth; ++s)
      sum =
          multiply_add<M>(in.a.value[0][s][i], load_vector<Element, M>(in.b.value[0][in.dense_k[i][s]]), sum);
    for (int j = 0; again != Again::none && j < M; ++j) {
      if (again == Again::nan && sum[j] == sum[j]) continue;
      Element row[depth], column[depth];
      for (int s = 0; s < depth; ++s) {
        row[s] = in.a.value[0][s][i];
        column[s] = in.b.value[0][in.dense_k[i][s]][j];
      }
      sum[j] = dot(row, column, c[j], i, j);
    }
    store_vector(out, sum);
  }
}

template <int M, int K, class A, class B> void smfmac(Wave& wave, const Instruction& in) {
  using Element = typename A::Element;
  using Stored = ShapeStored<M, K>;
  constexpr int index_bits = 2 * Stored::k_per_lane;
  Operands<M, K, Element> operands;
  unpack<Stored, A>(wave.lanes(in.src[0].index), operands.a);
  unpack<ShapeDense<M, K>, B>(wave.lanes(in.src[1].index), operands.b);

  // cbsz = 0: abid chooses among the index sets of the register; else the lowest.
  const uint32_t cbsz = in.words[0] >> 8 & 7, abid = in.words[0] >> 11 & 15;
  const uint32_t first_bit = cbsz == 0 ? abid % (32 / index_bits) * index_bits : 0;
  const uint32_t* indices = wave.lanes(in.src[2].index);
  for (int slice = 0; slice < Stored::k_slices; ++slice)
    for (int n = 0; n < Stored::k_per_lane; ++n)
      for (int i = 0; i < M; ++i) {
        const int stored = Stored::template k_of<A>(slice, n);
        const uint32_t index = indices[i + M * slice] >> (first_bit + 2 * n) & 3;
        operands.dense_k[i][stored] = static_cast<uint8_t>(stored / 2 * 4 + index);
      }

  uint32_t* d = wave.lanes(in.dst);
  using Definition = Scalar<Stored, A, B>;
  const bool clamps = clamps_overflow(wave);
  if constexpr (__is_same(Element, float)) {
    const bool fdpa = uses_fdpa(wave);
    multiply_sparse(operands, d, fdpa ? Again::all : Again::nan, fdpa ? Definition::fdpa : Definition::fma);
    if (clamps) clamp_infinities(d, output_words<Stored>);
  } else {
    multiply_sparse(operands, d, clamps ? Again::all : Again::none, Definition::saturated);
  }
}

template <int M, int K, class A, class B> constexpr Row sparse(const char* mnemonic, Passes passes) {
  return {.mnemonic = mnemonic,
          .execute = smfmac<M, K, A, B>,
          .matrix = matrix_facts<Shape<M, K>>(MatrixUnit::xdl, MatrixForm::sparse, K, passes, is_fp8<A>),
          .approximation = open_sums<A>};
}

constexpr Row rows[] = {
    sparse<16, 32, F16, F16>("v_smfmac_f32_16x16x32_f16", Passes(4)),
    sparse<32, 16, F16, F16>("v_smfmac_f32_32x32x16_f16", Passes(8)),
    sparse<16, 64, F16, F16>("v_smfmac_f32_16x16x64_f16", Passes(4)),
    sparse<32, 32, F16, F16>("v_smfmac_f32_32x32x32_f16", Passes(8)),
    sparse<16, 32, Bf16, Bf16>("v_smfmac_f32_16x16x32_bf16", Passes(4)),
    sparse<32, 16, Bf16, Bf16>("v_smfmac_f32_32x32x16_bf16", Passes(8)),
    sparse<16, 64, Bf16, Bf16>("v_smfmac_f32_16x16x64_bf16", Passes(4)),
    sparse<32, 32, Bf16, Bf16>("v_smfmac_f32_32x32x32_bf16", Passes(8)),

    sparse<16, 64, I8, I8>("v_smfmac_i32_16x16x64_i8", Passes(4)),
    sparse<32, 32, I8, I8>("v_smfmac_i32_32x32x32_i8", Passes(8)),
    sparse<16, 128, I8, I8>("v_smfmac_i32_16x16x128_i8", Passes(4)),
    sparse<32, 64, I8, I8>("v_smfmac_i32_32x32x64_i8", Passes(8)),

    sparse<16, 64, Bf8, Bf8>("v_smfmac_f32_16x16x64_bf8_bf8", Passes(4)),
    sparse<16, 64, Bf8, Fp8>("v_smfmac_f32_16x16x64_bf8_fp8", Passes(4)),
    sparse<16, 64, Fp8, Bf8>("v_smfmac_f32_16x16x64_fp8_bf8", Passes(4)),
    sparse<16, 64, Fp8, Fp8>("v_smfmac_f32_16x16x64_fp8_fp8", Passes(4)),
    sparse<32, 32, Bf8, Bf8>("v_smfmac_f32_32x32x32_bf8_bf8", Passes(8)),
    sparse<32, 32, Bf8, Fp8>("v_smfmac_f32_32x32x32_bf8_fp8", Passes(8)),
    sparse<32, 32, Fp8, Bf8>("v_smfmac_f32_32x32x32_fp8_bf8", Passes(8)),
    sparse<32, 32, Fp8, Fp8>("v_smfmac_f32_32x32x32_fp8_fp8", Passes(8)),
    sparse<16, 128, Bf8, Bf8>("v_smfmac_f32_16x16x128_bf8_bf8", Passes(4)),
    sparse<16, 128, Bf8, Fp8>("v_smfmac_f32_16x16x128_bf8_fp8", Passes(4)),
    sparse<16, 128, Fp8, Bf8>("v_smfmac_f32_16x16x128_fp8_bf8", Passes(4)),
    sparse<16, 128, Fp8, Fp8>("v_smfmac_f32_16x16x128_fp8_fp8", Passes(4)),
    sparse<32, 64, Bf8, Bf8>("v_smfmac_f32_32x32x64_bf8_bf8", Passes(8)),
    sparse<32, 64, Bf8, Fp8>("v_smfmac_f32_32x32x64_bf8_fp8", Passes(8)),
    sparse<32, 64, Fp8, Bf8>("v_smfmac_f32_32x32x64_fp8_bf8", Passes(8)),
    sparse<32, 64, Fp8, Fp8>("v_smfmac_f32_32x32x64_fp8_fp8", Passes(8)),
};
} // namespace
const Rows rows_mfma_sparse = rows_of<rows, all_matrix>();
} // namespace fmha950::isa::FMHA950_SIMD
