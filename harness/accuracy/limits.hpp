#pragma once
// The accuracy rule of DESIGN.md section 7: limits are computed from the error of a plain low-precision
// implementation on the same inputs, never typed in. Works on plain vectors, so that a test can feed it
// anything.

#include "harness/accuracy/metrics.hpp"
#include "interface/problem.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness {

// What one verdict is made from. All output spans are [rows, heads, D], all LSE spans [rows, heads]; the LSE
// spans are empty when the problem wants none.
struct Evidence {
  int64_t query_rows = 0;
  ElementType output_type = ElementType::bf16;
  std::span<const double> reference;  // oracle on the dequantised inputs
  std::span<const double> plain;      // plain low-precision implementation
  std::span<const double> got;        // the kernel
  std::span<const uint8_t> untouched; // elements of got that still hold the poison
  std::span<const double> lse_reference, lse_plain, lse_got;
  std::span<const uint8_t> lse_untouched;
  std::optional<double> max_value; // max |V|, dequantised; set for FP8 inputs, whose ceiling it scales
};

struct Limit {
  std::string name; // max_abs, rmse, norm_ratio, fp8_ceiling, lse
  double value = 0; // the kernel's
  double limit = 0;
  bool holds() const { return value <= limit; } // a NaN does not hold
};

// The largest share of a limit that the kernel takes: 1 is the limit itself, 0 without limits.
double largest_share(std::span<const Limit> limits);

struct Verdict {
  ErrorMetrics kernel, plain; // against the reference
  ErrorMetrics lse;           // finite LSE values only
  Defects defects, lse_defects;
  std::vector<Limit> limits;
  bool passed() const;
  std::string reason() const; // "" if passed, else every failed limit and defect in words
};

Verdict judge(const Evidence& evidence);

// As find_defects, but -inf is a legal LSE (a row that sees nothing); the limit on the LSE judges it.
Defects find_lse_defects(std::span<const double> got, std::span<const uint8_t> untouched);

// "output: 3 untouched, 0 NaN, 1 Inf, first at element 17"
std::string describe(const Defects& defects, std::string_view what);

double ulp(ElementType type, double magnitude); // spacing of the type's numbers at |magnitude|

} // namespace fmha950::harness
