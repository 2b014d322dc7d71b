#pragma once
// JSON has no Inf or NaN: they are strings, so that they are not mistaken for "absent".

#include <cmath>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

inline nlohmann::ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

} // namespace fmha950::harness
