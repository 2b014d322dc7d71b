#pragma once
// N(0, 1) whose scale changes from every 16 tokens to the next: V is 32 times smaller in every second 16, K
// twice as large. So the descales of neighbouring small pages are far apart, and a tile of keys mixes them.

#include "workload/value_source.hpp"

namespace fmha950::workload {

class UnevenValues final : public ValueSource {
 public:
  explicit UnevenValues(uint64_t seed) : seed_(seed) {}
  void query(int request, int query, int head, std::span<float> row) const override;
  void key(int request, int token, int kv_head, std::span<float> row) const override;
  void value(int request, int token, int kv_head, std::span<float> row) const override;

 private:
  uint64_t seed_;
};

} // namespace fmha950::workload
