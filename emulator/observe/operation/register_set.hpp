#pragma once
// Sets of registers as bits.

#include "emulator/isa/uses.hpp"
#include "numerics/target.hpp"

#include <algorithm>

namespace fmha950::observe {

class FewRegisters;

// VGPRs of the unified file, and SGPR codes with SCC.
struct RegisterSet {
  static constexpr int vgprs = target.vgprs_per_lane, sgprs = 256;
  static constexpr int vector_words = vgprs / 64, words = vector_words + sgprs / 64;
  uint64_t word[words] = {}; // of VGPRs, then of SGPRs

  void add(const isa::RegisterRange& range) {
    for_each_bit(range, [](uint64_t& into, uint64_t bit) { into |= bit; });
  }
  void add(const RegisterSet& other) {
    for (int i = 0; i < words; ++i) word[i] |= other.word[i];
  }
  bool operator==(const RegisterSet&) const = default;
  void remove(const isa::RegisterRange& range) {
    for_each_bit(range, [](uint64_t& from, uint64_t bit) { from &= ~bit; });
  }
  [[gnu::always_inline]] bool intersects(const RegisterSet& other) const {
    uint64_t common = 0;
    for (int i = 0; i < words; ++i) common |= word[i] & other.word[i];
    return common != 0;
  }
  [[gnu::always_inline]] bool intersects(const FewRegisters& other) const;

  bool has_vgpr(int r) const { return has(r); }
  bool has_sgpr(int code) const { return has(vgprs + code); }
  void set_vgpr(int r, bool in) { set(r, in); }
  void set_sgpr(int code, bool in) { set(vgprs + code, in); }

 private:
  bool has(int index) const { return word[index / 64] >> (index % 64) & 1; }
  void set(int index, bool in) {
    const uint64_t bit = uint64_t{1} << (index % 64);
    word[index / 64] = in ? word[index / 64] | bit : word[index / 64] & ~bit;
  }
  template <class Change> void for_each_bit(const isa::RegisterRange& range, Change change) {
    const bool vector = range.file == isa::RegisterRange::File::vector;
    uint64_t* of_file = vector ? word : word + vector_words;
    const int size = vector ? vgprs : sgprs;
    for (int r = range.first; r < std::min(range.first + range.count, size); ++r)
      change(of_file[r / 64], uint64_t{1} << (r % 64));
  }
};

// What one instruction touches: only the words that have bits, first, so that a look takes few cache lines.
class FewRegisters {
 public:
  void add(const isa::RegisterRange& range) {
    RegisterSet added;
    added.add(range);
    for (uint8_t i = 0; i < RegisterSet::words; ++i)
      if (added.word[i]) add(i, added.word[i]);
  }

 private:
  friend RegisterSet;
  void add(uint8_t place, uint64_t bits) {
    const auto at = std::find(place_, place_ + count_, place) - place_;
    if (at == count_) place_[count_++] = place;
    bits_[at] |= bits;
  }
  uint8_t count_ = 0, place_[RegisterSet::words] = {};
  uint64_t bits_[RegisterSet::words] = {};
};

inline bool RegisterSet::intersects(const FewRegisters& other) const {
  uint64_t common = 0;
  for (int i = 0; i < other.count_; ++i) common |= word[other.place_[i]] & other.bits_[i];
  return common != 0;
}

} // namespace fmha950::observe
