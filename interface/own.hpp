#pragma once
// What one operator alone has of a problem's tensors: a value in Tensors::own and in DeviceTensors::own, of types that
// its folder knows.

#include "interface/device_tensors.hpp"
#include "interface/tensors.hpp"

#include <any>

namespace fmha950 {

// An operator's access to its own, as in `inline constexpr OwnTensors<Host, Device> my_tensors;` and then
// `my_tensors(tensors)`. Where there are none yet, a constant has empty ones, and another gets them.
template <class Host, class Device> class OwnTensors {
 public:
  const Host& operator()(const Tensors& tensors) const { return constant<Host>(tensors.own); }
  Host& operator()(Tensors& tensors) const { return variable<Host>(tensors.own); }
  const Device& operator()(const DeviceTensors& device) const { return constant<Device>(device.own); }
  Device& operator()(DeviceTensors& device) const { return variable<Device>(device.own); }

 private:
  template <class T> static const T& constant(const std::any& own) {
    static const T empty;
    const T* const found = std::any_cast<T>(&own);
    return found != nullptr ? *found : empty;
  }
  template <class T> static T& variable(std::any& own) {
    if (!own.has_value()) own = T();
    return std::any_cast<T&>(own);
  }
};

} // namespace fmha950
