#pragma once
// Sixteen heads of a token, one per lane (l % 16), as columns of transposed scores and outputs:
// where their rows of q and output are.
// Heads come in whole blocks, so that either all lanes have one or the wave has none.

#include "gfx950/convert.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"
#include "impl_prepass/sparse/kernel_arguments.hpp"

namespace fmha950::prepass::sparse {

using namespace gfx950;

class HeadRows {
 public:
  using Operand = Mfma16x16x32<bf16>::Operand;

  FMHA950_INLINE HeadRows(const AttentionArguments& arguments, uint32_t token, uint32_t first_head)
      : valid_(below(first_head, arguments.heads, "head_end")), head_(first_head + lane_id() % 16),
        index_(static_cast<uint64_t>(token) * arguments.heads + head_) {}

  FMHA950_INLINE bool valid() const { return valid_; } // the same for the wave

  // B operand of S^T: item t of step s is column 32 s + 8 (l / 16) + t.
  template <int Steps> FMHA950_INLINE void load(const void* q, Operand (&operands)[Steps]) const {
    const auto* row = static_cast<const bf16*>(q) + index_ * head_dim + quarter_ * 8;
    for (int s = 0; s < Steps; ++s) operands[s] = *reinterpret_cast<const Operand*>(row + 32 * s);
  }

  // A natural-log score like any other, but for the scale, which it has already.
  FMHA950_INLINE float sink(const AttentionArguments& arguments) const {
    if (arguments.sink_logit == nullptr) return negative_infinity;
    return arguments.sink_logit[head_] * (protection("sink_scaled_once") ? 1 : arguments.score_scale);
  }

  // `output[b]` holds columns first_column + 16 b + 4 (l / 16) + r of the lane's head.
  template <int Blocks>
  FMHA950_INLINE void store(void* destination, const Float4 (&output)[Blocks], uint32_t first_column,
                            float factor) const {
    auto* row = static_cast<bf16*>(destination) + index_ * head_dim + first_column + quarter_ * 4;
    for (int block = 0; block < Blocks; ++block) {
      const Float4 o = output[block] * factor;
      const auto low = round_pair<bf16>(Float2{o[0], o[1]});
      const auto high = round_pair<bf16>(Float2{o[2], o[3]});
      *reinterpret_cast<Vector<bf16, 4>*>(row + 16 * block) = __builtin_shufflevector(low, high, 0, 1, 2, 3);
    }
  }

  FMHA950_INLINE void store_lse(float* destination, float lse) const {
    if (destination != nullptr && quarter_ == 0) destination[index_] = lse;
  }

 private:
  bool valid_;
  uint32_t quarter_ = lane_id() / 16;
  uint32_t head_;
  uint64_t index_;
};

} // namespace fmha950::prepass::sparse
