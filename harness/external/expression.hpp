#pragma once
// Expressions of a manifest: grids, arguments, conditions. Python's spelling, 64-bit arithmetic, no surprise: overflow, division by
// zero and mixed kinds are errors that name the place.
//
//   numbers, 'text', names, r.field     + - * // % /, - of one      == != < <= > >=, in (a, b), not in
//   and, or, not, A if C else B         min, max, ceil_div, round_up, log2
//   sum|min|max(E for r in requests)
//
// `/` gives a real number, `//` and `%` round down as in Python.

#include "harness/external/value.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness::external {

inline constexpr size_t longest_expression = 4096; // characters
inline constexpr int deepest_expression = 64;      // nested operations, and operators in a row

struct Node; // of the parsed expression

struct NamedPlace { // a name that is used
  std::string name;
  size_t column = 1;
};

class Expression {
 public:
  Expression() = default; // empty; must not be evaluated
  // `place`: "FILE: launches[0].grid[1]", which errors begin with. `first_column`: where `text` begins in what stands there.
  // Throws InvalidInput.
  Expression(std::string place, std::string text, size_t first_column = 1);

  bool empty() const { return root_ == nullptr; }
  const std::string& text() const { return text_; }
  const std::string& place() const { return place_; }
  const std::vector<NamedPlace>& names() const { return names_; } // that are free: what a scope must have
  const std::vector<NamedPlace>& request_fields() const { return fields_; } // of sum(... for r in requests)

  // Throws InvalidInput that names the place, the column and what would be right.
  Value value(const Scope& scope) const;
  int64_t integer(const Scope& scope) const;
  int64_t integer(const Scope& scope, int64_t least, int64_t most) const;
  double real(const Scope& scope) const; // of an integer too
  bool truth(const Scope& scope) const;  // of an integer: whether it is not 0

  // The expression as terms of which all must hold: those of its outermost `and`. Their columns stay those of the whole.
  std::vector<Expression> terms() const;

  [[noreturn]] void fail(size_t column, const std::string& value, const std::string& expected) const;
  std::string spelled(size_t column, size_t end) const; // of the whole text

 private:
  std::string place_, whole_, text_; // `text_` is that of a term
  size_t first_column_ = 1;
  std::shared_ptr<const Node> root_;
  std::vector<NamedPlace> names_, fields_;
};

// Whether it means something in every expression, so that nothing else can have it as its name: `and`, `min`, `true`.
bool is_word_of_expressions(std::string_view word);

} // namespace fmha950::harness::external
