#pragma once
// Values of a problem with NaN in tokens that no query may see.

#include "workload/value_source.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace fmha950::harness {

// NaN in a range of each request's tokens.
class PoisonedTokens final : public workload::ValueSource {
 public:
  PoisonedTokens(std::shared_ptr<const workload::ValueSource> others, int first, int end)
      : others_(std::move(others)), first_(first), end_(end) {}
  void query(int request, int query, int head, std::span<float> row) const override {
    others_->query(request, query, head, row);
  }
  void key(int request, int token, int kv_head, std::span<float> row) const override {
    others_->key(request, token, kv_head, row);
    poison(token, row);
  }
  void value(int request, int token, int kv_head, std::span<float> row) const override {
    others_->value(request, token, kv_head, row);
    poison(token, row);
  }

 private:
  void poison(int token, std::span<float> row) const {
    if (token >= first_ && token < end_) std::ranges::fill(row, std::numeric_limits<float>::quiet_NaN());
  }

  std::shared_ptr<const workload::ValueSource> others_;
  int first_, end_;
};

} // namespace fmha950::harness
