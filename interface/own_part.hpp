#pragma once
// What one operator alone has of a problem: a value of a type that only its folder knows. Two problems are equal only
// if these are.

#include "interface/error.hpp"
#include "interface/feature.hpp"

#include <any>
#include <concepts>
#include <typeinfo>
#include <utility>
#include <vector>

namespace fmha950 {

struct Problem;

// misplaced(): what is wrong with a problem of another operator that has this part.
// features(): what the part asks of an implementation.
template <class T>
concept PartOfOperator =
    std::copyable<T> && std::equality_comparable<T> && requires(const T& part, const Problem& problem) {
      { part.misplaced() } -> std::same_as<InvalidInput>;
      { part.features(problem) } -> std::same_as<std::vector<Feature>>;
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
  std::vector<Feature> features(const Problem& problem) const {
    return functions_ == nullptr ? std::vector<Feature>() : functions_->features(value_, problem);
  }

  bool operator==(const OwnPart& other) const {
    return type() == other.type() && (!value_.has_value() || functions_->equal(value_, other.value_));
  }

 private:
  struct Functions {
    bool (*equal)(const std::any&, const std::any&);
    InvalidInput (*misplaced)(const std::any&);
    std::vector<Feature> (*features)(const std::any&, const Problem&);
  };
  template <class T>
  static constexpr Functions functions_of{
      [](const std::any& a, const std::any& b) { return *std::any_cast<T>(&a) == *std::any_cast<T>(&b); },
      [](const std::any& part) { return std::any_cast<T>(&part)->misplaced(); },
      [](const std::any& part, const Problem& problem) {
        return std::any_cast<T>(&part)->features(problem);
      }};

  std::any value_;
  const Functions* functions_ = nullptr;
};

} // namespace fmha950
