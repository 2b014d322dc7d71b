#pragma once
// One tensor on the host.

#include "interface/problem.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fmha950 {

// A tensor in sparse, zero-filled host memory: a 10 GB pool costs only the pages that are touched.
class Tensor {
 public:
  Tensor() = default;
  Tensor(ElementType type, std::vector<int64_t> shape);

  ElementType type() const { return type_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t elements() const { return elements_; }
  size_t bytes() const { return static_cast<size_t>(stored_bytes(type_, elements_)); }
  bool empty() const { return elements_ == 0; }
  std::byte* data() { return storage_.get(); }
  const std::byte* data() const { return storage_.get(); }
  template <class T> std::span<T> as() { return {reinterpret_cast<T*>(data()), bytes() / sizeof(T)}; }
  template <class T> std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data()), bytes() / sizeof(T)};
  }
  float value(int64_t index)
      const; // element as fp32, exact for every type; fp8, e8m0 and mxfp4 decoded, without descales

 private:
  ElementType type_ = ElementType::fp32;
  std::vector<int64_t> shape_;
  int64_t elements_ = 0;
  std::shared_ptr<std::byte[]> storage_; // shared: copying a Tensor copies the handle, not 10 GB
};

} // namespace fmha950
