#pragma once
// What the host hands to the kernels of append_prefill: one plain struct, by value. Host and device include
// this file, so it holds fixed-width types only.

#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline::append {

// Where Q and k_new come before their rotary embedding.
struct RotaryArguments {
  const int32_t* positions;   // [total_q], of rows of
  const float* cos_sin_cache; // [positions, rotated]: cosines of pairs, then sines
  uint32_t rotated;           // columns of a head, a multiple of 16
  uint32_t interleaved;       // pairs are neighbours, else a half apart
};

struct AppendArguments {
  AttentionArguments attention; // of LINEAR fp8 pools, whose scales are not in score_scale and value_scale
  const void* k_new;            // the chunk, unquantised: [total_q, Hkv, D]
  const void* v_new;
  void* k_cache; // the pools again, to write to
  void* v_cache;
  float k_scale, v_scale; // what is stored is x / scale
  RotaryArguments rotary; // for kernels that rotate
};

} // namespace fmha950::baseline::append
