#pragma once
// What one operator alone has of a problem's tensors: a value in Tensors::own and in DeviceTensors::own, of types that
// its folder knows.

#include <any>

namespace fmha950 {

template <class T> const T& own_or_empty(const std::any& own) {
  static const T empty;
  const T* const found = std::any_cast<T>(&own);
  return found != nullptr ? *found : empty;
}

template <class T> T& own_of(std::any& own) {
  if (!own.has_value()) own = T();
  return std::any_cast<T&>(own);
}

} // namespace fmha950
