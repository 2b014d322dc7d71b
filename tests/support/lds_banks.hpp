#pragma once
// A model of LDS that knows nothing of any layout: which lanes are served together, how many banks there are.

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace fmha950::test {

constexpr unsigned lds_banks = 64; // of 4 bytes

// ds_read_b128: lanes served together, first 32 lanes (facts/micro_lds_phases.csv, measured on MI355X); the
// second 32 lanes are served likewise.
inline const std::vector<std::vector<unsigned>> phases_b128 = {
    {0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27},
    {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 28, 29, 30, 31},
};

// The most different words that lanes which are served together want of one bank; the same word is broadcast.
template <class Lanes, class Address>
int worst_conflict(const Lanes& lanes, unsigned bytes, Address address) {
  std::map<unsigned, std::set<unsigned>> words; // of each bank
  for (const unsigned lane : lanes)
    for (unsigned byte = 0; byte < bytes; byte += 4) {
      const unsigned word = (address(lane) + byte) / 4;
      words[word % lds_banks].insert(word);
    }
  size_t worst = 0;
  for (const auto& [bank, distinct] : words) worst = std::max(worst, distinct.size());
  return static_cast<int>(worst);
}

} // namespace fmha950::test
