#pragma once
// What one operator alone has of a problem: a value of a type that only its folder knows. Two problems are equal only
// if these are.

#include "interface/error.hpp"

#include <any>
#include <concepts>
#include <typeinfo>
#include <utility>

namespace fmha950 {

// misplaced(): what is wrong with a problem of another operator that has this part.
template <class T>
concept PartOfOperator = std::copyable<T> && std::equality_comparable<T> && requires(const T& part) {
  { part.misplaced() } -> std::same_as<InvalidInput>;
};

class OwnPart {
 public:
  OwnPart() = default;
  template <PartOfOperator T> OwnPart(T part) : value_(std::move(part)), functions_(&functions_of<T>) {}

  template <PartOfOperator T> T& emplace() {
    *this = T();
    return *get<T>();
  }
  template <class T> T* get() { return std::any_cast<T>(&value_); } // null: there is no such part
  template <class T> const T* get() const { return std::any_cast<T>(&value_); }
  const std::type_info& type() const { return value_.type(); } // void: there is none
  InvalidInput misplaced() const { return functions_->misplaced(value_); }

  bool operator==(const OwnPart& other) const {
    return type() == other.type() && (!value_.has_value() || functions_->equal(value_, other.value_));
  }

 private:
  struct Functions {
    bool (*equal)(const std::any&, const std::any&);
    InvalidInput (*misplaced)(const std::any&);
  };
  template <class T>
  static constexpr Functions functions_of{
      [](const std::any& a, const std::any& b) { return *std::any_cast<T>(&a) == *std::any_cast<T>(&b); },
      [](const std::any& part) { return std::any_cast<T>(&part)->misplaced(); }};

  std::any value_;
  const Functions* functions_ = nullptr;
};

} // namespace fmha950
