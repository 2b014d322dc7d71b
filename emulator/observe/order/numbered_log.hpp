#pragma once
// Entries with rising numbers. Only the recent ones are still needed.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmha950::observe {

template <class T> class NumberedLog {
 public:
  void clear(uint32_t first) {
    entries_.clear();
    first_ = first;
    dropped_ = 0;
  }
  uint32_t end() const { return first_ + static_cast<uint32_t>(entries_.size()); }
  size_t held() const { return entries_.size(); }
  void put(uint32_t number, const T& entry) { // numbers in between stay empty
    if (number >= end()) entries_.resize(number - first_ + 1);
    entries_[number - first_] = entry;
  }
  const T& operator[](uint32_t number) const { return entries_[number - first_]; }
  void drop_before(uint32_t number) {
    if (number > end()) number = end();
    if (number > first_) dropped_ = number - first_;
    if (dropped_ < 4096 || dropped_ < entries_.size() / 2) return; // moving the rest must be worth it
    entries_.erase(entries_.begin(), entries_.begin() + dropped_);
    first_ += dropped_;
    dropped_ = 0;
  }

 private:
  std::vector<T> entries_;
  uint32_t first_ = 0, dropped_ = 0;
};

} // namespace fmha950::observe
