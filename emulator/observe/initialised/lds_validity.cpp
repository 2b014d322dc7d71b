#include "emulator/observe/initialised/lds_validity.hpp"

namespace fmha950::observe {

namespace {

constexpr uint64_t everything = ~uint64_t{0}; // of a word

} // namespace

void LdsValidity::start(uint32_t bytes) {
  ++age_;
  const uint32_t words = bytes / 64 + 2;
  bits_.assign(8 * words, 0xFF);
  summary_.assign(words / 64 + 1, everything);
}

bool LdsValidity::is_range_valid(uint32_t begin, uint32_t end) const {
  const uint32_t first = begin / 64, last = (end - 1) / 64;
  const uint64_t from = everything << first % 64, to = everything >> (63 - last % 64);
  if (first / 64 == last / 64) return (summary_[first / 64] & from & to) == 0;
  uint64_t any = (summary_[first / 64] & from) | (summary_[last / 64] & to);
  for (uint32_t word = first / 64 + 1; word < last / 64; ++word) any |= summary_[word];
  return any == 0;
}

bool LdsValidity::looks_valid(const LdsFootprint& touched) const {
  if (touched.empty() || is_range_valid(touched.begin, touched.end)) return true;
  uint32_t any = 0; // what lies between the lanes may be padding
  for (const LdsFootprint::Range& range : touched.ranges) any |= invalid(range.begin, range.bytes);
  return any == 0;
}

} // namespace fmha950::observe
