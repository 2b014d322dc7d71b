#pragma once
// The scores of exact()'s rows. The audit needs them, too: exact() keeps them if they are not too many, and the audit
// computes them again if they were not kept.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fmha950 {

class KeptScores {
 public:
  static constexpr size_t most = size_t{1} << 27; // fp32 numbers, 512 MiB

  // `keys`: of each row and head, in the order of AttentionRows::lse. Returns nothing if they are too many.
  static std::shared_ptr<KeptScores> make(const std::vector<size_t>& keys) {
    std::shared_ptr<KeptScores> scores(new KeptScores(keys));
    if (scores->first_.back() > most) return nullptr;
    // Not set to zero: that would be a pass over memory.
    scores->scores_ = std::make_unique_for_overwrite<float[]>(scores->first_.back());
    return scores;
  }

  // Less the row's largest, so that fp32 holds well what weighs much. Minus infinity for a key that is not seen.
  std::span<float> of(size_t place) const {
    return {scores_.get() + first_[place], first_[place + 1] - first_[place]};
  }
  double& largest(size_t place) { return largest_[place]; }
  double largest(size_t place) const { return largest_[place]; }

 private:
  explicit KeptScores(const std::vector<size_t>& keys) : largest_(keys.size()) {
    for (const size_t count : keys) first_.push_back(first_.back() + count);
  }

  std::vector<size_t> first_{0};
  std::vector<double> largest_;
  std::unique_ptr<float[]> scores_;
};

} // namespace fmha950
