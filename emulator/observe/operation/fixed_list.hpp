#pragma once
// A vector of at most N elements, for the inner loops of checks.

#include <array>
#include <cstddef>

namespace fmha950::observe {

template <class T, size_t N> class FixedList {
 public:
  void clear() { count_ = 0; }
  void push_back(const T& item) { items_[count_++] = item; }
  T& back() { return items_[count_ - 1]; }
  size_t size() const { return count_; }
  bool empty() const { return !count_; }
  T* data() { return items_.data(); }
  void resize(size_t count) { count_ = count; } // of elements written through data()
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + count_; }

 private:
  size_t count_ = 0;
  std::array<T, N> items_;
};

} // namespace fmha950::observe
