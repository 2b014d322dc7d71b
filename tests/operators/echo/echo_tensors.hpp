#pragma once
// What echo has of a problem's tensors. Request b has the keys k_indptr[b] to k_indptr[b + 1] - 1, and query rows
// q_indptr[b] to q_indptr[b + 1] - 1.

#include "interface/own.hpp"

namespace fmha950::echo {

struct EchoTensors {
  Tensor values;   // bf16 [keys of all requests, Hkv, D]
  Tensor k_indptr; // int32 [B + 1]
};

struct EchoDeviceTensors {
  const void* values = nullptr;
  const int32_t* k_indptr = nullptr;
};

inline constexpr OwnTensors<EchoTensors, EchoDeviceTensors> own; // of a problem's tensors

} // namespace fmha950::echo
