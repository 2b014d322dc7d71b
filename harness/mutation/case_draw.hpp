#pragma once
// Random small problems near a known one: some keys of its case string are drawn anew, as its operator has them.
// Lengths lie around the boundaries of tiles and pages. The same seed draws the same problems on every machine.

#include "interface/problem.hpp"

#include <functional>
#include <random>
#include <string>
#include <string_view>

namespace fmha950::harness {

class CaseDraw {
 public:
  explicit CaseDraw(uint64_t seed) : random_(seed) {}
  size_t below(size_t count) { return static_cast<size_t>(random_() % count); }

  // A canonical case string of a valid problem, small enough to be run by the thousand, that is `wanted`.
  // `known` itself if a hundred draws give none.
  std::string near(const std::string& known, const std::function<bool(const Problem&)>& wanted);

 private:
  std::string drawn(const std::string& known);
  int length(int most);
  std::mt19937_64 random_;
};

} // namespace fmha950::harness
