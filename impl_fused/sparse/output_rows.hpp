#pragma once
// Where results of a workgroup go: lane l has head l % 16 of a block of 16 heads, and in a block of 16 rows
// of O^T rows 4 (l / 16) to 4 (l / 16) + 3.

#include "gfx950/convert.hpp"
#include "impl_fused/sparse/value_product.hpp"

namespace fmha950::fused::sparse {

class OutputRow {
 public:
  FMHA950_INLINE OutputRow(const Arguments& arguments, uint32_t token, uint32_t head)
      : row_(static_cast<bf16*>(arguments.output) +
             (static_cast<uint64_t>(token) * arguments.heads + head) * head_dim) {}

  // The wave's columns (value_product.hpp) of the lane's head; `output[b]` of block b of them.
  template <class Block> FMHA950_INLINE void store(uint32_t wave, float factor, Block output) const {
    const uint32_t quarter = lane_id() / 16;
    bf16* pairs = row_ + wave * pair_columns + 8 * quarter;
    unrolled<full_pairs>([&](auto m) {
      const Float4 even = output(2 * m) * factor, odd = output(2 * m + 1) * factor;
      Word4 words;
      for (int r = 0; r < 4; ++r) words[r] = bits_as<uint32_t>(round_pair<bf16>(Float2{even[r], odd[r]}));
      *reinterpret_cast<Word4*>(pairs + m * waves * pair_columns) = words;
    });
    const Float4 half = output(2 * full_pairs) * factor;
    for (int r = 0; r < 4; ++r)
      row_[half_pair(wave) * pair_columns + 8 * quarter + 2 * r + wave % 2] = static_cast<bf16>(half[r]);
    const Float4 rope = output(2 * full_pairs + 1) * factor;
    const auto low = round_pair<bf16>(Float2{rope[0], rope[1]});
    const auto high = round_pair<bf16>(Float2{rope[2], rope[3]});
    *reinterpret_cast<Word2*>(row_ + nope_columns + wave * 16 + quarter * 4) =
        Word2{bits_as<uint32_t>(low), bits_as<uint32_t>(high)};
  }

 private:
  bf16* row_;
};

} // namespace fmha950::fused::sparse
