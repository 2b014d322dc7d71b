#include "operators/append_prefill/append_tensors.hpp"

#include "interface/own.hpp"

namespace fmha950 {

const AppendTensors& append_tensors(const Tensors& tensors) {
  return own_or_empty<AppendTensors>(tensors.own);
}
AppendTensors& append_tensors(Tensors& tensors) { return own_of<AppendTensors>(tensors.own); }
const DeviceAppendTensors& append_tensors(const DeviceTensors& device) {
  return own_or_empty<DeviceAppendTensors>(device.own);
}
DeviceAppendTensors& append_tensors(DeviceTensors& device) { return own_of<DeviceAppendTensors>(device.own); }

} // namespace fmha950
