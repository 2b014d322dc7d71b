#pragma once
// Which bytes of a workgroup's LDS nobody has written yet.

#include "emulator/observe/initialised/initialised_bits.hpp"
#include "emulator/observe/operation/lds_footprint.hpp"

#include <cstring>
#include <vector>

namespace fmha950::observe {

// One bit per byte of a workgroup's LDS, and one per 64 bytes that says whether any of them is invalid.
class LdsValidity {
 public:
  void start(uint32_t bytes); // nobody wrote any of it
  // Whether all that an operation touches was written.
  bool is_valid(const LdsFootprint& touched) const {
    if (touched.valid_at == age_) [[likely]]
      return true;
    const bool valid = looks_valid(touched);
    if (valid) touched.valid_at = age_;
    return valid;
  }
  // Bit i: byte begin + i is invalid; at most 32 bytes.
  uint32_t invalid(uint32_t begin, uint32_t bytes) const {
    return static_cast<uint32_t>(bits_at(begin) >> (begin % 8) & low_bits(bytes));
  }
  void write(uint32_t begin, uint32_t bytes, uint32_t invalid) {
    const uint64_t field = low_bits(bytes) << (begin % 8), fresh = static_cast<uint64_t>(invalid)
                                                                   << (begin % 8);
    const uint64_t before = bits_at(begin);
    if ((before & field) == fresh) return;
    if (fresh & ~before) ++age_;
    const uint64_t after = (before & ~field) | fresh;
    std::memcpy(bits_.data() + begin / 8, &after, sizeof after);
    summarise(begin / 64);
    summarise((begin + bytes - 1) / 64);
  }

 private:
  bool looks_valid(const LdsFootprint& touched) const;
  bool is_range_valid(uint32_t begin, uint32_t end) const;
  uint64_t bits_at(uint32_t begin) const {
    uint64_t word;
    std::memcpy(&word, bits_.data() + begin / 8, sizeof word);
    return word;
  }
  void summarise(uint32_t word) {
    const uint64_t bit = uint64_t{1} << word % 64;
    const bool any = bits_at(word * 64) != 0;
    summary_[word / 64] = any ? summary_[word / 64] | bit : summary_[word / 64] & ~bit;
  }
  uint64_t age_ = 0; // how often written bytes became bytes that nobody wrote
  std::vector<uint8_t> bits_;
  std::vector<uint64_t> summary_;
};

} // namespace fmha950::observe
