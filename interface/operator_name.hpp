#pragma once
// The operator of a problem, by name. There is no list of operators: each registers itself (operator.hpp), and a
// name finds it. So a name may be made before main, when not all of them are registered.

#include <string_view>

namespace fmha950 {

class Operator;

class OperatorName {
 public:
  // The name is not copied: a literal, or an operator's own.
  constexpr OperatorName(const char* name) : name_(name) {}
  constexpr explicit OperatorName(std::string_view name) : name_(name) {}

  constexpr std::string_view text() const { return name_; }
  const Operator& operator*() const; // throws InvalidInput where no operator of this name is linked
  const Operator* operator->() const { return &**this; }
  friend constexpr bool operator==(OperatorName a, OperatorName b) { return a.name_ == b.name_; }

 private:
  std::string_view name_;
};

constexpr std::string_view name_of(OperatorName op) { return op.text(); }

} // namespace fmha950
