#pragma once
// Sets of registers as bits.

#include "emulator/isa/uses.hpp"
#include "numerics/target.hpp"

#include <algorithm>

namespace fmha950::observe {

// VGPRs of the unified file, and SGPR codes with SCC.
struct RegisterSet {
  static constexpr int vgprs = target.vgprs_per_lane, sgprs = 256;
  uint64_t vector[vgprs / 64] = {}, scalar[sgprs / 64] = {};
  void add(const isa::RegisterRange& range) {
    for_each_bit(range, [](uint64_t& word, uint64_t bit) { word |= bit; });
  }
  void add(const RegisterSet& other) {
    for (int i = 0; i < vgprs / 64; ++i) vector[i] |= other.vector[i];
    for (int i = 0; i < sgprs / 64; ++i) scalar[i] |= other.scalar[i];
  }
  bool operator==(const RegisterSet&) const = default;
  void remove(const isa::RegisterRange& range) {
    for_each_bit(range, [](uint64_t& word, uint64_t bit) { word &= ~bit; });
  }
  [[gnu::always_inline]] bool intersects(const RegisterSet& other) const {
    uint64_t common = 0;
    for (int i = 0; i < vgprs / 64; ++i) common |= vector[i] & other.vector[i];
    for (int i = 0; i < sgprs / 64; ++i) common |= scalar[i] & other.scalar[i];
    return common != 0;
  }

 private:
  template <class Change> void for_each_bit(const isa::RegisterRange& range, Change change) {
    uint64_t* words = range.file == isa::RegisterRange::File::vector ? vector : scalar;
    const int size = words == vector ? vgprs : sgprs;
    for (int r = range.first; r < std::min(range.first + range.count, size); ++r)
      change(words[r / 64], uint64_t{1} << (r % 64));
  }
};

} // namespace fmha950::observe
