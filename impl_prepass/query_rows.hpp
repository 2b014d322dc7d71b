#pragma once
// The queries of one wave: which rows, which keys they see, their values as the B operand of S^T = K Q^T, and
// where their results go. Lane l owns row l % 32 of the wave.

#include "gfx950/convert.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/permlane.hpp"
#include "impl_prepass/kernel_arguments.hpp"

namespace fmha950::prepass {

using namespace gfx950;

struct KeyRange { // inclusive; empty when last < first
  int first, last;
};

// Keys that query `position` of the request sees (DESIGN.md section 2: a = Lk - Lq + i).
FMHA950_INLINE KeyRange visible_keys(const AttentionArguments& arguments, const WorkItem& item,
                                     int position) {
  const int diagonal = item.key_length - item.query_length + position;
  return {maximum(0, diagonal - arguments.window_left),
          minimum(item.key_length - 1, diagonal + arguments.window_right)};
}

struct TileRange { // [begin, end)
  int begin, end;
};

// Tiles that any of the rows [first, end) of the request sees; empty (begin = end) for no rows.
FMHA950_INLINE TileRange tiles_of_rows(const AttentionArguments& arguments, const WorkItem& item, int first,
                                       int end) {
  if (first >= end) return {0, 0};
  const int begin =
      visible_keys(arguments, item, first / static_cast<int>(arguments.group)).first / keys_per_tile;
  const int last = visible_keys(arguments, item, (end - 1) / static_cast<int>(arguments.group)).last;
  const int tiles = (maximum(last, -1) + keys_per_tile) / keys_per_tile;
  return {begin, maximum(begin, tiles)};
}

// Exponents: whether there may be any, for blocks of 32 columns.
template <class Element, bool Exponents> class QueryRows {
 public:
  using Operand = typename Mfma32x32x16<Element>::Operand;
  static constexpr int steps = head_dim / 16;

  FMHA950_INLINE QueryRows(const AttentionArguments& arguments, const WorkItem& item, int first, int end)
      : valid_(first + static_cast<int>(lane_id() % 32) < end || !protection("row_end")) {
    // Lanes past the end repeat the last row and store nothing.
    const int own_row = first + static_cast<int>(lane_id() % 32);
    const uint32_t row = protection("row_end") ? minimum(own_row, end - 1) : own_row;
    position_ = row / arguments.group;
    const uint32_t head = static_cast<uint32_t>(item.kv_head) * arguments.group + row % arguments.group;
    index_ =
        static_cast<uint64_t>(static_cast<uint32_t>(item.query_begin) + position_) * arguments.query_heads +
        head;
  }

  FMHA950_INLINE int position() const { return position_; }

  // Item t of step s is column 16 s + 8 (l / 32) + t of the lane's query. Powers of two go in, exactly.
  FMHA950_INLINE void load(const AttentionArguments& arguments, Operand (&operands)[steps]) const {
    const bool scaled = Exponents && arguments.q_exponents != nullptr;
    const uint32_t exponents = scaled ? arguments.q_exponents[index_] : 0x7f7f7f7f; // 2^0
    const uint64_t first = index_ * head_dim + half_ * 8;
    if (arguments.query_format == QueryFormat::plain) {
      const auto* row = static_cast<const Element*>(arguments.q) + first;
      for (int s = 0; s < steps; ++s) operands[s] = *reinterpret_cast<const Operand*>(row + 16 * s);
      if (scaled)
        for (int s = 0; s < steps; ++s)
          operands[s] = times(operands[s], e8m0_value(exponent_of(exponents, s)));
    } else if constexpr (__is_same(Element, bf16)) {
      const auto* row = static_cast<const uint8_t*>(arguments.q) + first;
      for (int s = 0; s < steps; ++s) {
        const Word2 values = *reinterpret_cast<const Word2*>(row + 16 * s);
        const float scale = e8m0_scale(exponent_of(exponents, s));
        operands[s] = __builtin_shufflevector(fp8_to_bf16(values[0], scale), fp8_to_bf16(values[1], scale), 0,
                                              1, 2, 3, 4, 5, 6, 7);
      }
    }
  }

  // `output[b]` holds columns 32 b + 8 (r / 4) + 4 (l / 32) + r % 4 of the lane's query. The halves of the
  // wave swap so that each lane stores 16 bytes in a row.
  FMHA950_INLINE void store(const AttentionArguments& arguments, const Float16 (&output)[head_dim / 32],
                            float factor) const {
    auto* row = static_cast<Element*>(arguments.output) + index_ * head_dim + half_ * 8;
    for (int block = 0; block < head_dim / 32; ++block)
      for (int part = 0; part < 2; ++part) {
        uint32_t words[4];
        for (int w = 0; w < 4; ++w) {
          const int r = 8 * part + 2 * w;
          words[w] =
              bits_as<uint32_t>(round_pair<Element>(Float2{output[block][r], output[block][r + 1]} * factor));
        }
        const SwappedHalves even = swap_halves(words[0], words[2]), odd = swap_halves(words[1], words[3]);
        if (valid_)
          *reinterpret_cast<Word4*>(row + 32 * block + 16 * part) =
              Word4{even.first, odd.first, even.second, odd.second};
      }
  }

  FMHA950_INLINE void store_lse(const AttentionArguments& arguments, float lse) const {
    if (arguments.lse != nullptr && valid_ && half_ == 0) arguments.lse[index_] = lse;
  }

 private:
  // One exponent per 32 columns.
  static FMHA950_INLINE uint32_t exponent_of(uint32_t exponents, int step) {
    return exponents >> (step / 2 * 8) & 0xff;
  }

  static FMHA950_INLINE Operand times(Operand operand, float power_of_two) {
    for (int t = 0; t < 8; ++t)
      operand[t] = static_cast<Element>(static_cast<float>(operand[t]) * power_of_two);
    return operand;
  }

  bool valid_;
  uint32_t half_ = lane_id() / 32;
  uint32_t position_;
  uint64_t index_; // row of q, output and lse
};

} // namespace fmha950::prepass
