#pragma once
// What echo has of a problem's tensors. Request b has the keys k_indptr[b] to k_indptr[b + 1] - 1, and query rows
// q_indptr[b] to q_indptr[b + 1] - 1.

#include "interface/device_tensors.hpp"
#include "interface/tensors.hpp"

namespace fmha950::echo {

struct EchoTensors {
  Tensor values;   // bf16 [keys of all requests, Hkv, D]
  Tensor k_indptr; // int32 [B + 1]
};

struct EchoDeviceTensors {
  const void* values = nullptr;
  const int32_t* k_indptr = nullptr;
};

inline EchoTensors& own(Tensors& tensors) {
  if (!tensors.own.has_value()) tensors.own = EchoTensors();
  return std::any_cast<EchoTensors&>(tensors.own);
}
inline const EchoTensors& own(const Tensors& tensors) {
  return std::any_cast<const EchoTensors&>(tensors.own);
}
inline EchoDeviceTensors& own(DeviceTensors& device) {
  if (!device.own.has_value()) device.own = EchoDeviceTensors();
  return std::any_cast<EchoDeviceTensors&>(device.own);
}
inline const EchoDeviceTensors& own(const DeviceTensors& device) {
  return std::any_cast<const EchoDeviceTensors&>(device.own);
}

} // namespace fmha950::echo
