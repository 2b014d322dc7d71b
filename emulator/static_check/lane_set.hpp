#pragma once
// A mask of lanes as a function of a few masks that are not known (atoms): for every lane and every value that the atoms may
// have in it, whether the lane is in the mask. So masks that exclude each other are seen to, whatever the atoms are.

#include <array>
#include <cstddef>
#include <cstdint>

namespace fmha950::static_check {

class LaneSet {
 public:
  static constexpr int most_atoms = 6;

  static LaneSet of(uint64_t mask) {
    LaneSet set;
    set.lanes_.fill(mask);
    return set;
  }
  static LaneSet atom(int number) {
    LaneSet set;
    for (size_t values = 0; values < set.lanes_.size(); ++values)
      set.lanes_[values] = values >> number & 1 ? ~uint64_t{0} : 0;
    return set;
  }

  LaneSet operator&(const LaneSet& other) const {
    return combined(other, [](auto a, auto b) { return a & b; });
  }
  LaneSet operator|(const LaneSet& other) const {
    return combined(other, [](auto a, auto b) { return a | b; });
  }
  LaneSet operator^(const LaneSet& other) const {
    return combined(other, [](auto a, auto b) { return a ^ b; });
  }
  LaneSet operator~() const { return *this ^ of(~uint64_t{0}); }
  // Lanes that are in it for some values of the atoms.
  uint64_t lanes() const {
    uint64_t lanes = 0;
    for (uint64_t each : lanes_) lanes |= each;
    return lanes;
  }
  bool empty() const { return lanes() == 0; }
  bool depends_on(int atom) const {
    for (size_t values = 0; values < lanes_.size(); ++values)
      if (lanes_[values] != lanes_[values ^ size_t{1} << atom]) return true;
    return false;
  }
  bool operator==(const LaneSet&) const = default;

 private:
  template <class Combine> LaneSet combined(const LaneSet& other, Combine combine) const {
    LaneSet result;
    for (size_t values = 0; values < lanes_.size(); ++values)
      result.lanes_[values] = combine(lanes_[values], other.lanes_[values]);
    return result;
  }
  std::array<uint64_t, 1 << most_atoms> lanes_{}; // by the values of the atoms
};

// Bit 2a + b of the table says whether the result has a lane of which the first says a, the second b.
inline LaneSet combine(unsigned table, const LaneSet& a, const LaneSet& b) {
  LaneSet result;
  for (unsigned values = 0; values < 4; ++values)
    if (table >> values & 1) result = result | ((values & 2 ? a : ~a) & (values & 1 ? b : ~b));
  return result;
}

} // namespace fmha950::static_check
