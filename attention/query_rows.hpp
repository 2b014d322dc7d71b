#pragma once
// The queries of one wave, as columns of transposed scores and outputs: which row of q and output each lane
// has and where its results go. Lane l owns row l % 32 of the wave.

#include "attention/work_item.hpp"
#include "gfx950/convert.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/permlane.hpp"

namespace fmha950::attention {

using namespace gfx950;

struct RowRange { // [first, end) of a request
  int first, end;
};

// The rows of the item that one of its waves has; none (first = end) past those of the request.
FMHA950_INLINE RowRange rows_of_wave(const WorkItem& item, int heads_per_kv_head, uint32_t wave) {
  const int rows = protection("request_end") ? item.query_length * heads_per_kv_head : INT32_MAX;
  const int first = minimum(item.first_row + static_cast<int>(wave) * rows_per_wave, rows);
  return {first, minimum(first + rows_per_wave, rows)};
}

class QueryRows {
 public:
  // The wave's rows are [first, end) of the request.
  // Lanes past the end repeat the last row and store nothing.
  FMHA950_INLINE QueryRows(const WorkItem& item, uint32_t query_heads, uint32_t heads_per_kv_head, int first,
                           int end)
      : valid_(first + static_cast<int>(lane_id() % 32) < end || !protection("row_end")) {
    const int own_row = first + static_cast<int>(lane_id() % 32);
    const uint32_t row = minimum(own_row, end - 1, "row_end");
    query_ = row / heads_per_kv_head;
    head_ = static_cast<uint32_t>(item.kv_head) * heads_per_kv_head + row % heads_per_kv_head;
    index_ = static_cast<uint64_t>(static_cast<uint32_t>(item.query_begin) + query_) * query_heads + head_;
  }

  FMHA950_INLINE bool valid() const { return valid_; }
  FMHA950_INLINE int query() const { return query_; }      // within the request
  FMHA950_INLINE uint32_t head() const { return head_; }   // query head
  FMHA950_INLINE uint64_t index() const { return index_; } // row of q, output and LSE

  // `output[b]` holds columns 32 b + 8 (r / 4) + 4 (l / 32) + r % 4 of the lane's row of [rows, 32 Blocks]
  // elements. The halves of the wave swap so that each lane stores 16 bytes in a row.
  template <class Element, int Blocks>
  FMHA950_INLINE void store(void* destination, const Float16 (&output)[Blocks], float factor) const {
    auto* row = static_cast<Element*>(destination) + index_ * (32 * Blocks) + half_ * 8;
    for (int block = 0; block < Blocks; ++block)
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

  FMHA950_INLINE void store_lse(float* destination, float lse) const {
    if (destination != nullptr && valid_ && half_ == 0) destination[index_] = lse;
  }

 private:
  bool valid_;
  uint32_t half_ = lane_id() / 32;
  uint32_t query_, head_;
  uint64_t index_;
};

} // namespace fmha950::attention
