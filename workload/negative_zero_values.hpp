#pragma once
// N(0, 1) with many -0, which is byte 0x80 in e4m3fn and NaN in its FNUZ sister: every element whose
// magnitude is below 0.25 (a fifth of them), and all of every eighth query, every sixteenth key and every
// sixteenth value row (other tokens than the keys').

#include "workload/value_source.hpp"

namespace fmha950::workload {

class NegativeZeroValues final : public ValueSource {
 public:
  explicit NegativeZeroValues(uint64_t seed) : seed_(seed) {}
  void query(int request, int query, int head, std::span<float> row) const override;
  void key(int request, int token, int kv_head, std::span<float> row) const override;
  void value(int request, int token, int kv_head, std::span<float> row) const override;

 private:
  uint64_t seed_;
};

} // namespace fmha950::workload
