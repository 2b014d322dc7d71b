#pragma once
// The host-side values that an append_prefill problem has beside those of tensors.hpp.
//
//   k_new, v_new    the chunk, unquantised, [total_q, Hkv, D], query_type
//   call_cuts       with calls = N: int32 [B, N - 1], the token of request b's chunk with which call n + 2
//                   begins, ascending, 0 to the chunk's length; empty: they follow from the seed
//
//   positions       with a rotary embedding: int32 [total_q], the row of cos_sin_cache of each new token: its absolute position
//   cos_sin_cache   likewise: fp32 [positions, rotated], of each pair of columns the cosines, then the sines
//
// That is the form of vLLM's and SGLang's rotary cache, in fp32 as FlashInfer's kernels take it: one tensor, whose row a token's
// angles are read from together, made once for all layers and calls. rotary.hpp says how Q and k_new are rotated by it.
//
// The pools are what the cache holds before the call, and k_descale and v_descale are its k_scale and v_scale: a slot
// gets fp8(x / scale), divided with correct rounding in fp32, saturated at +-448 and rounded to nearest even. Slots of
// the chunk may hold poison before. There is no q_descale. An old token enters attention as a number of Q's type: the
// fp32 product x_stored * scale, rounded to nearest even. The oracle takes it so, too; tokens of the chunk are of Q's
// type as they are.

#include "interface/own.hpp"

namespace fmha950 {

struct AppendTensors {
  Tensor k_new, v_new;
  Tensor call_cuts;
  Tensor positions, cos_sin_cache; // empty without a rotary embedding
};

struct DeviceAppendTensors {
  const void *k_new = nullptr, *v_new = nullptr;
  const int32_t* positions = nullptr;
  const float* cos_sin_cache = nullptr;
};

inline constexpr OwnTensors<AppendTensors, DeviceAppendTensors> append_tensors; // of a problem's tensors

} // namespace fmha950
