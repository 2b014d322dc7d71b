#pragma once
// What a cure may cost, and when another one is better than that which is kept.

#include "harness/cure/protection.hpp"

namespace fmha950::harness::cure {

// Parts of the modelled clocks.
struct Price {
  double nothing = 0.001;         // a cure that costs less ends the search
  double gain_for_barrier = 0.01; // that a barrier more, or one that not all waves come to, has to save
};

// The part of the clocks that `other` has to save, to be taken instead of `kept`.
double least_gain(const Price& price, const std::vector<Protection>& kept,
                  const std::vector<Protection>& other);

} // namespace fmha950::harness::cure
