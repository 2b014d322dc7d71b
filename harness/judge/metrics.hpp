#pragma once
// How far a computed vector is from its reference: the figures every accuracy result reports.

#include <cstdint>
#include <span>

namespace fmha950::harness {

struct ErrorMetrics {
  int64_t count = 0;
  double max_abs = 0; // max |got - reference|
  double rmse = 0;    // sqrt(mean((got - reference)^2))
  // ||got - reference|| / ||reference||; 0 if both are 0, +inf if only the reference is.
  double relative_l2 = 0;
  double cosine = 1;        // <got, reference> / (||got|| ||reference||); 1 if both are 0, 0 if one is
  double nmse = 0;          // relative_l2^2
  double norm_ratio = 1;    // ||got|| / ||reference||; 1 if both are 0, +inf if only the reference is
  double max_reference = 0; // max |reference|
  int64_t worst = -1;       // index of max_abs, the first of equals; -1 if nothing differs
};

// Both spans have the same length (std::invalid_argument otherwise). Values that are not finite are left out
// of every figure: find_defects() counts them and they fail a case by themselves.
ErrorMetrics compare(std::span<const double> reference, std::span<const double> got);

// Elements that fail a case whatever the limits say. `untouched` are those that still hold the poison the
// output was filled with before the launch (non-zero where so); the caller knows them by their bits.
struct Defects {
  int64_t nan = 0;
  int64_t inf = 0;
  int64_t untouched = 0;
  int64_t first = -1; // index of the first defect
  bool any() const { return nan + inf + untouched > 0; }
};
Defects find_defects(std::span<const double> got, std::span<const uint8_t> untouched);

} // namespace fmha950::harness
