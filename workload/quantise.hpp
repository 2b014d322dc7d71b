#pragma once
// Rules by which values become elements of a type and a descale (generate.hpp lists them).

#include "interface/tensors.hpp"

#include <span>

namespace fmha950::workload {

inline constexpr int mx_block = 32; // values of one scale, OCP MX v1.0 section 5.1

float largest_magnitude(std::span<const float> values);

// amax / 448, or the next power of two above it; 1 for a block of zeros.
float fp8_descale(float amax, bool power_of_two);
// E8M0 code of 2^(floor(log2(amax)) - emax), OCP MX v1.0 section 6.3: emax is 8 of e4m3 (fp8), 2 of e2m1 (mxfp4); 127 (that
// is 1) for a block of zeros.
uint8_t mx_scale(ElementType type, float amax);

float round_to(ElementType type, float x);
// Element `index` = x rounded to nearest even; fp8 saturates at 448, mxfp4 at 6.
void store(Tensor& tensor, int64_t index, float x);

// The float type that values have before quantisation: fp16 when Q is fp16, else bf16.
ElementType compute_type(const Problem& problem);

// q and q_descale from q_original (same shape).
void quantise_query(const Problem& problem, bool power_of_two, Tensors& tensors);

} // namespace fmha950::workload
