#include "operators/sparse_prefill/sparse_tensors.hpp"

namespace fmha950 {
namespace {

template <class T> const T& own_or_empty(const std::any& own) {
  static const T empty;
  const T* const found = std::any_cast<T>(&own);
  return found != nullptr ? *found : empty;
}

template <class T> T& own_of(std::any& own) {
  if (!own.has_value()) own = T();
  return std::any_cast<T&>(own);
}

} // namespace

const SparseTensors& sparse_tensors(const Tensors& tensors) {
  return own_or_empty<SparseTensors>(tensors.own);
}
SparseTensors& sparse_tensors(Tensors& tensors) { return own_of<SparseTensors>(tensors.own); }
const DeviceSparseTensors& sparse_tensors(const DeviceTensors& device) {
  return own_or_empty<DeviceSparseTensors>(device.own);
}
DeviceSparseTensors& sparse_tensors(DeviceTensors& device) { return own_of<DeviceSparseTensors>(device.own); }

} // namespace fmha950
