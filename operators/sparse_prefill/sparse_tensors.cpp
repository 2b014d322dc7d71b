#include "operators/sparse_prefill/sparse_tensors.hpp"

#include "interface/own.hpp"

namespace fmha950 {
const SparseTensors& sparse_tensors(const Tensors& tensors) {
  return own_or_empty<SparseTensors>(tensors.own);
}
SparseTensors& sparse_tensors(Tensors& tensors) { return own_of<SparseTensors>(tensors.own); }
const DeviceSparseTensors& sparse_tensors(const DeviceTensors& device) {
  return own_or_empty<DeviceSparseTensors>(device.own);
}
DeviceSparseTensors& sparse_tensors(DeviceTensors& device) { return own_of<DeviceSparseTensors>(device.own); }

} // namespace fmha950
