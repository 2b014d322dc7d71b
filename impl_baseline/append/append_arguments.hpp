#pragma once
// What the host hands to the kernels of append_prefill: one plain struct, by value. Host and device include
// this file, so it holds fixed-width types only.

#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline::append {

struct AppendArguments {
  AttentionArguments attention; // of LINEAR fp8 pools, whose scales are not in score_scale and value_scale
  const void* k_new;            // the chunk, unquantised: [total_q, Hkv, D]
  const void* v_new;
  void* k_cache; // the pools again, to write to
  void* v_cache;
  float k_scale, v_scale; // what is stored is x / scale
};

} // namespace fmha950::baseline::append
