#pragma once
// Where in LDS the instructions of a kernel are, on all paths: for each wave of a workgroup, from the least to the highest
// byte that any execution may touch.

#include "emulator/static_check/code.hpp"

#include <optional>

namespace fmha950::static_check {

class LdsRanges {
 public:
  explicit LdsRanges(const Code& code) : code_(code) {}
  bool may_meet_in_wave(size_t a, size_t b) const { return meet(a, b, true); }
  bool may_meet_between_waves(size_t a, size_t b) const { return meet(a, b, false); }

 private:
  struct Range {
    uint64_t begin = 0, end = ~uint64_t{0};
  };
  bool meet(size_t a, size_t b, bool one_wave) const;
  std::vector<Range> ranges_of(uint32_t wave) const;

  const Code& code_;
  mutable std::vector<std::vector<Range>> ranges_; // by wave and instruction; made when they are asked for
};

} // namespace fmha950::static_check
