#include "harness/external/expression.hpp"

#include "harness/external/expression_node.hpp"
#include "interface/error.hpp"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace fmha950::harness::external {

const char* kind_of(const Value& value) {
  static constexpr const char* kinds[] = {"an integer", "a real number", "true or false", "a text",
                                          "a pointer"};
  return kinds[value.index()];
}

std::string text_of(const Value& value) {
  struct Text {
    std::string operator()(int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const { return fmt::format("'{}'", v); }
    std::string operator()(Pointer v) const {
      return v.address == 0 ? "null" : fmt::format("{:#x}", v.address);
    }
  };
  return std::visit(Text(), value);
}

namespace {

class Evaluation {
 public:
  explicit Evaluation(const Expression& of) : of_(of) {}

  Value value(const Node& node, const Scope& scope) const {
    using enum Operation;
    switch (node.operation) {
    case constant: return node.constant;
    case name: return named(node, scope);
    case negate: return negated(node, operand(node, 0, scope));
    case logical_not: return !truth(*node.operands[0], scope);
    case logical_and: return truth(*node.operands[0], scope) && truth(*node.operands[1], scope);
    case logical_or: return truth(*node.operands[0], scope) || truth(*node.operands[1], scope);
    case choice: return operand(node, truth(*node.operands[0], scope) ? 1 : 2, scope);
    case equal:
    case different:
      return equals(node, operand(node, 0, scope), operand(node, 1, scope)) == (node.operation == equal);
    case less:
    case less_equal:
    case greater:
    case greater_equal: return compared(node, operand(node, 0, scope), operand(node, 1, scope));
    case log2: return exact_log2(node, operand(node, 0, scope));
    case is_in:
    case is_not_in: return contained(node, scope) == (node.operation == is_in);
    case minimum:
    case maximum: return extreme(node, scope);
    case sum_of_requests:
    case minimum_of_requests:
    case maximum_of_requests: return over_requests(node, scope);
    default: return arithmetic(node, node.operation, operand(node, 0, scope), operand(node, 1, scope));
    }
  }

  bool truth(const Node& node, const Scope& scope) const {
    const Value result = value(node, scope);
    if (const bool* const truth = std::get_if<bool>(&result)) return *truth;
    if (const int64_t* const integer = std::get_if<int64_t>(&result)) return *integer != 0;
    fail(node, result, "must be true or false, or an integer");
  }

  [[noreturn]] void fail(const Node& node, const Value& found, const std::string& expected) const {
    of_.fail(node.column, fmt::format("{} ({})", text_of(found), spelled(node)), expected);
  }

 private:
  std::string spelled(const Node& node) const { return of_.spelled(node.column, node.end); }
  Value operand(const Node& node, size_t index, const Scope& scope) const {
    return value(*node.operands[index], scope);
  }

  Value named(const Node& node, const Scope& scope) const {
    if (const Value* const found = scope.find(node.name)) return *found;
    of_.fail(node.column, node.name, "is no name that is known here");
  }

  Value negated(const Node& node, const Value& of) const {
    if (const double* const real = std::get_if<double>(&of)) return -*real;
    return arithmetic(node, Operation::subtract, int64_t{0}, of);
  }

  [[noreturn]] void overflow(const Node& node) const {
    of_.fail(node.column, spelled(node), "must fit into 64 bits with a sign");
  }

  // Pointers take part in + and - alone.
  Value arithmetic(const Node& node, Operation operation, const Value& a, const Value& b) const {
    const auto* const pointer = std::get_if<Pointer>(&a);
    const auto* const offset = std::get_if<int64_t>(&b);
    if (pointer && offset && (operation == Operation::add || operation == Operation::subtract)) {
      if (pointer->address == 0) of_.fail(node.column, spelled(node), "must not count from null");
      const auto bytes = static_cast<uint64_t>(*offset);
      const bool up = (operation == Operation::add) == (*offset >= 0);
      const Pointer moved{operation == Operation::add ? pointer->address + bytes : pointer->address - bytes};
      if (bytes != 0 && (moved.address > pointer->address) != up)
        of_.fail(node.column, spelled(node), "must not count past the end of the addresses");
      return moved;
    }
    const auto* const x = std::get_if<int64_t>(&a);
    if (x && offset && operation != Operation::divide) return of_integers(node, operation, *x, *offset);
    return of_reals(node, operation, real(node, a), real(node, b));
  }

  Value of_integers(const Node& node, Operation operation, int64_t a, int64_t b) const {
    int64_t result = 0;
    const auto divisor_required = [&] {
      if (b == 0) of_.fail(node.column, spelled(node), "must not divide by zero");
    };
    switch (operation) {
    case Operation::add:
      if (__builtin_add_overflow(a, b, &result)) overflow(node);
      return result;
    case Operation::subtract:
      if (__builtin_sub_overflow(a, b, &result)) overflow(node);
      return result;
    case Operation::multiply:
      if (__builtin_mul_overflow(a, b, &result)) overflow(node);
      return result;
    case Operation::floor_divide:
      divisor_required();
      if (a == INT64_MIN && b == -1) overflow(node);
      return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    case Operation::remainder:
      divisor_required();
      if (b == -1) return int64_t{0}; // of INT64_MIN too, where % traps
      result = a % b;
      return result != 0 && (result < 0) != (b < 0) ? result + b : result;
    case Operation::ceil_div:
    case Operation::round_up: {
      if (a < 0 || b <= 0)
        of_.fail(node.column, fmt::format("{} with {} and {}", spelled(node), a, b),
                 "must have a number from 0 on and a divisor from 1 on");
      const int64_t quotient = a / b + (a % b != 0 ? 1 : 0);
      if (operation == Operation::ceil_div) return quotient;
      if (__builtin_mul_overflow(quotient, b, &result)) overflow(node);
      return result;
    }
    default: break;
    }
    of_.fail(node.column, spelled(node), "takes no integers");
  }

  Value of_reals(const Node& node, Operation operation, double a, double b) const {
    double result = 0;
    switch (operation) {
    case Operation::add: result = a + b; break;
    case Operation::subtract: result = a - b; break;
    case Operation::multiply: result = a * b; break;
    case Operation::divide:
      if (b == 0) of_.fail(node.column, spelled(node), "must not divide by zero");
      result = a / b;
      break;
    default: of_.fail(node.column, spelled(node), "must have integers on both sides");
    }
    if (!std::isfinite(result)) of_.fail(node.column, spelled(node), "must be finite");
    return result;
  }

  Value exact_log2(const Node& node, const Value& of) const {
    const int64_t* const integer = std::get_if<int64_t>(&of);
    if (integer == nullptr || *integer <= 0 || !std::has_single_bit(static_cast<uint64_t>(*integer)))
      fail(node, of, "must be of a power of two");
    return int64_t{std::countr_zero(static_cast<uint64_t>(*integer))};
  }

  double real(const Node& node, const Value& of) const {
    if (const double* const real = std::get_if<double>(&of)) return *real;
    if (const int64_t* const integer = std::get_if<int64_t>(&of)) return static_cast<double>(*integer);
    fail(node, of, "must have numbers on both sides");
  }

  // The exact number: a double does not hold every integer, 64 bits of mantissa do.
  long double exact(const Node& node, const Value& of) const {
    if (const int64_t* const integer = std::get_if<int64_t>(&of)) return static_cast<long double>(*integer);
    return static_cast<long double>(real(node, of));
  }

  static bool is_number(const Value& of) {
    return std::holds_alternative<int64_t>(of) || std::holds_alternative<double>(of);
  }

  bool equals(const Node& node, const Value& a, const Value& b) const {
    if (a.index() == b.index()) return a == b;
    if (is_number(a) && is_number(b)) return exact(node, a) == exact(node, b);
    of_.fail(node.column, spelled(node), fmt::format("compares {} with {}", kind_of(a), kind_of(b)));
  }

  bool compared(const Node& node, const Value& a, const Value& b) const {
    const long double left = exact(node, a), right = exact(node, b);
    switch (node.operation) {
    case Operation::less: return left < right;
    case Operation::less_equal: return left <= right;
    case Operation::greater: return left > right;
    default: return left >= right;
    }
  }

  bool contained(const Node& node, const Scope& scope) const {
    const Value sought = operand(node, 0, scope);
    bool found = false; // all are looked at: a value of another kind is a mistake wherever it stands
    for (size_t i = 1; i < node.operands.size(); ++i)
      found = equals(node, sought, operand(node, i, scope)) || found;
    return found;
  }

  Value better(const Node& node, bool largest, const Value& a, const Value& b) const {
    const long double x = exact(node, a), y = exact(node, b);
    return (largest ? y > x : y < x) ? b : a; // of equal ones the first, as in Python
  }

  Value extreme(const Node& node, const Scope& scope) const {
    Value best = operand(node, 0, scope);
    real(node, best); // a number
    for (size_t i = 1; i < node.operands.size(); ++i)
      best = better(node, node.operation == Operation::maximum, best, operand(node, i, scope));
    return best;
  }

  Value over_requests(const Node& node, const Scope& scope) const {
    const std::vector<RequestNames>* const requests = scope.all_requests();
    if (requests == nullptr) of_.fail(node.column, spelled(node), "stands where there are no requests");
    if (requests->empty() && node.operation != Operation::sum_of_requests)
      of_.fail(node.column, spelled(node), "must have a request to look at: the case has none");
    Value result = int64_t{0};
    for (size_t i = 0; i < requests->size(); ++i) {
      const Value next = operand(node, 0, scope.of_request(node.name, i));
      if (node.operation == Operation::sum_of_requests)
        result = arithmetic(node, Operation::add, result, next);
      else // also of one request a number
        result = i == 0 ? (real(node, next), next)
                        : better(node, node.operation == Operation::maximum_of_requests, result, next);
    }
    return result;
  }

  const Expression& of_;
};

} // namespace

static_assert(std::numeric_limits<long double>::digits >= 64);

Expression::Expression(std::string place, std::string text, size_t first_column)
    : place_(std::move(place)), whole_(text), text_(std::move(text)), first_column_(first_column) {
  try {
    ParsedExpression parsed = parse_expression(text_);
    root_ = std::move(parsed.root);
    names_ = std::move(parsed.names);
    fields_ = std::move(parsed.fields);
  } catch (const ParseMistake& mistake) {
    fail(mistake.column, mistake.found, mistake.expected);
  }
}

void Expression::fail(size_t column, const std::string& value, const std::string& expected) const {
  throw InvalidInput(fmt::format("{}, column {}", place_, first_column_ - 1 + column), value, expected);
}

std::string Expression::spelled(size_t column, size_t end) const {
  return whole_.substr(column - 1, end - column);
}

Value Expression::value(const Scope& scope) const { return Evaluation(*this).value(*root_, scope); }

bool Expression::truth(const Scope& scope) const { return Evaluation(*this).truth(*root_, scope); }

int64_t Expression::integer(const Scope& scope) const {
  const Value result = value(scope);
  if (const int64_t* const integer = std::get_if<int64_t>(&result)) return *integer;
  Evaluation(*this).fail(*root_, result, "must be an integer");
}

int64_t Expression::integer(const Scope& scope, int64_t least, int64_t most) const {
  const int64_t result = integer(scope);
  if (result < least || result > most)
    Evaluation(*this).fail(*root_, result, fmt::format("must be from {} to {}", least, most));
  return result;
}

double Expression::real(const Scope& scope) const {
  const Value result = value(scope);
  if (const double* const real = std::get_if<double>(&result)) return *real;
  if (const int64_t* const integer = std::get_if<int64_t>(&result)) return static_cast<double>(*integer);
  Evaluation(*this).fail(*root_, result, "must be a number");
}

std::vector<Expression> Expression::terms() const {
  std::vector<Expression> all;
  std::vector<std::shared_ptr<const Node>> open{root_};
  while (!open.empty()) {
    const std::shared_ptr<const Node> node = open.back();
    open.pop_back();
    if (node->operation == Operation::logical_and) {
      open.push_back(node->operands[1]);
      open.push_back(node->operands[0]);
      continue;
    }
    Expression& term = all.emplace_back(*this);
    const auto outside = [&](const NamedPlace& name) {
      return name.column < node->column || name.column >= node->end;
    };
    std::erase_if(term.names_, outside);
    std::erase_if(term.fields_, outside);
    term.text_ = spelled(node->column, node->end);
    term.root_ = node;
  }
  return all;
}

} // namespace fmha950::harness::external
