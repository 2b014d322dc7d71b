#pragma once
// Seeded random Q, K and V with the shape that data/STATS.md section 5 found in recorded ones:
// - K (median |K| 1.0) has two outlier channels per KV head, c and c + D/2 with c among the slow rotations of
//   RoPE, nearly constant over tokens with mean 8 to 14; Q is large in the same channels;
// - token 0 is an attention sink: its K norm is 0.3 and its V norm 0.25 of the usual, and since Q opposes the
//   constant part of K, it takes 20 to 60 % of the softmax mass at some thousand keys;
// - V (median |V| 0.43) has two channels four times as large.
// The constant part of the scores cancels in the softmax, but each fp8 step of those channels does not: this
// is where per-tensor quantisation of K really loses accuracy.

#include "workload/value_source.hpp"

#include <array>
#include <vector>

namespace fmha950::workload {

class OutlierValues : public ValueSource {
 public:
  explicit OutlierValues(const Problem& problem);
  void query(int request, int query, int head, std::span<float> row) const override;
  void key(int request, int token, int kv_head, std::span<float> row) const override;
  void value(int request, int token, int kv_head, std::span<float> row) const override;

 private:
  struct Channel {
    int column = 0;
    float key_mean = 0, query_mean = 0;
  };
  struct Head {
    std::array<Channel, 2> channels;
    std::array<int, 2> value_columns{};
  };
  uint64_t seed_;
  int heads_per_kv_head_;
  std::vector<Head> heads_; // per KV head
};

} // namespace fmha950::workload
