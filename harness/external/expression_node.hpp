#pragma once
// The tree of a parsed expression. For expression.cpp and its parser.

#include "harness/external/expression.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fmha950::harness::external {

enum class Operation : uint8_t {
  constant,
  name,
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  floor_divide,
  remainder,
  divide,
  equal,
  different,
  less,
  less_equal,
  greater,
  greater_equal,
  is_in, // the first of the operands is one of the others
  is_not_in,
  logical_and,
  logical_or,
  choice,  // [1] if [0], else [2]
  minimum, // of all
  maximum,
  ceil_div,
  round_up,
  log2,            // of a power of two
  sum_of_requests, // of [0], with `name` bound to each
  minimum_of_requests,
  maximum_of_requests,
};

struct Node {
  Operation operation = Operation::constant;
  size_t column = 1, end = 1; // of its text, from 1
  int depth = 0;              // of the tree below it
  Value constant;
  std::string name;
  std::vector<std::shared_ptr<const Node>> operands;
};

struct ParsedExpression {
  std::shared_ptr<const Node> root;
  std::vector<NamedPlace> names;  // free ones
  std::vector<NamedPlace> fields; // of requests: what stands behind the dot
};

// A mistake in an expression's text, by the parser.
struct ParseMistake {
  size_t column;
  std::string found, expected;
};

ParsedExpression parse_expression(const std::string& text); // throws ParseMistake

} // namespace fmha950::harness::external
