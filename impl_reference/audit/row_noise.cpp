#include "impl_reference/audit/row_noise.hpp"

#include "impl_reference/audit/fp32_noise.hpp"

namespace fmha950::reference::FMHA950_SIMD {
namespace {

constexpr double silent_variance = 1e-16; // of an element over its column's RMS: no rounding is so small
constexpr double least_variance = 1e-60;  // of a row of zeros, whose weight has to be a number

// What an error is made of: see RowNoise.
struct Freedom {
  double terms, directions;
};

Freedom freedom_of(const ErrorSums& keys, const OutputNoise& output, double fp32, double dimensions) {
  const double all = keys.squares + output.across + fp32,
               pairs = std::max(0.0, keys.squares * keys.squares - keys.fourth);
  const double of_keys = std::sqrt(std::min(pairs, keys.excess + pairs / dimensions)),
               alike = of_keys + std::sqrt(output.square) + fp32 / std::sqrt(dimensions);
  return {keys.fourth > 0 ? all * all / keys.fourth : INFINITY,
          alike > 0 ? std::min(dimensions, all * all / (alike * alike)) : dimensions};
}

} // namespace

void set_noise(AuditRow& row, const NoiseTerms& terms) {
  const auto& [keys, output, scale, keys_seen, largest_p, columns, directions, common] = terms;
  const double fp32 = fp32_noise(keys_seen) * row.length, rounding = output.whitened + fp32 * fp32;
  const double unscaled = 1 / (scale * scale), across_columns = std::max(1.0, columns - 1);
  row.noise.variance = unscaled * (keys.plain + output.plain) / columns;
  row.noise.across = unscaled * (keys.across.squares + rounding) / across_columns + least_variance;
  // Keys of a P so small that it is taken for 0 are lost together: no longer a row than those leave.
  const double lost = largest_p > 0 ? std::min(1.0, fp32_least / largest_p) * row.length : 0;
  row.along_variance = keys.along + output.along + output.lost + fp32 * fp32 + lost * lost + least_variance;
  row.noise.along = row.length > 0 ? row.along_variance / (row.length * row.length) : 0;
  row.noise.common = common;
  const Freedom across = freedom_of(keys.across, output, fp32 * fp32, across_columns),
                heard = freedom_of(keys.heard, output, fp32 * fp32, std::max(1.0, columns - directions));
  row.noise.terms = across.terms;
  row.noise.directions = across.directions;
  // The errors of few keys point the same way whatever is asked about, up to 2.2 deviations far.
  // Without any noise a row has no weight that a number could be: the judge of rows looks at it.
  const double of_element = (keys.heard.squares + rounding) / heard.directions * (1 + 4 / heard.terms);
  constexpr double least_audited = 0x1p-100; // with smaller P parts of P vanish, or of what they weigh
  row.weight = of_element > silent_variance && largest_p >= least_audited ? 1 / of_element : 0;
  row.bucket = row.noise.variance > 0 ? std::ilogb(std::sqrt(row.noise.variance)) : -1000;
}

void set_lse(AuditRow& row, const NoiseTerms& terms, double floor, double got, double plain) {
  row.lse_floor = floor;
  row.noise.lse_variance = lse_variance(floor, terms.keys_seen, terms.keys.sum / (terms.scale * terms.scale));
  row.lse_got = got;
  row.lse_plain = plain;
  // If a row's keys have almost no weight, its LSE says nothing about them.
  if (std::isfinite(got) && std::isfinite(plain) && terms.scale == 1)
    row.lse_weight = 1 / row.noise.lse_variance;
}

} // namespace fmha950::reference::FMHA950_SIMD
