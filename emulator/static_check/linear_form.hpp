#pragma once
// Whole numbers as sums of multiples of others that are not known, and whether what is known to be smaller than what
// contradicts itself: by Fourier and Motzkin's elimination, which is exact for rational numbers. So what it finds to
// contradict itself does, for whole numbers all the more.

#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace fmha950::static_check {

// The sum of its terms and of something from `least` to `most`, which may differ from lane to lane.
struct LinearForm {
  using Number = uint64_t; // names one that is not known
  std::map<Number, int64_t> terms;
  int64_t least = 0, most = 0;

  static LinearForm of(int64_t value) { return {{}, value, value}; }
  static LinearForm unknown(Number number) { return {{{number, 1}}, 0, 0}; }
  bool has(Number number) const { return terms.contains(number); }
  bool is_within(int64_t factor, int64_t value) const; // no factor and no end of the range is larger
  auto operator<=>(const LinearForm&) const = default;
};
LinearForm sum(const LinearForm& a, const LinearForm& b);
LinearForm multiple(const LinearForm& a, int64_t by);
LinearForm difference(const LinearForm& a, const LinearForm& b);

// Forms that are not positive, each for some choice of its range, so that only `least` counts.
using Inequalities = std::set<LinearForm>;
bool contradict(const Inequalities& inequalities);

} // namespace fmha950::static_check
