#pragma once
// Values whose attention is exact in every format: a single wrong key shows, as there is no noise to hide it.
// Q is 0: all keys weigh the same, P is the same power of two everywhere. K is N(0, 1).
//
//   count        V is one-hot: key j has 1, 2 or 4 in column j modulo D. An output counts keys.
//   count:KEY    V is 0 but of key KEY of each request, which has 448 in that column.

#include "workload/value_source.hpp"

#include <optional>

namespace fmha950::workload {

class CountValues final : public ValueSource {
 public:
  CountValues(uint64_t seed, std::optional<int> only_key) : seed_(seed), only_key_(only_key) {}
  void query(int request, int query, int head, std::span<float> row) const override;
  void key(int request, int token, int kv_head, std::span<float> row) const override;
  void value(int request, int token, int kv_head, std::span<float> row) const override;

 private:
  uint64_t seed_;
  std::optional<int> only_key_;
};

// KEY of `count:KEY`; throws InvalidInput for what is no key.
std::optional<int> counted_key(const std::string& values, const std::string& key);

} // namespace fmha950::workload
