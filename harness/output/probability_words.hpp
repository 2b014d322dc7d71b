#pragma once
// How a variant rounds P, in the words of results (docs/results.md):
// p=bf16|fp16|fp8|fp8-linear, sum=rounded|unrounded.

#include "interface/names.hpp"
#include "interface/oracle.hpp"

#include <string>

namespace fmha950::harness {

// fp8-linear: without the factor 2^shift that lifts small P out of the subnormals.
inline std::string p_word(const ProbabilityRounding& rounding) {
  const std::string type(name_of(rounding.type));
  return rounding.type == ElementType::fp8 && rounding.shift == 0 ? type + "-linear" : type;
}

inline std::string sum_word(const ProbabilityRounding& rounding) {
  return rounding.sum_rounded ? "rounded" : "unrounded";
}

} // namespace fmha950::harness
