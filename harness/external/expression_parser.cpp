// From the text of an expression to its tree: recursive descent, a function for each rank of operators.
#include "harness/external/expression.hpp"
#include "harness/external/expression_lexer.hpp"
#include "harness/external/expression_node.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace fmha950::harness::external {

namespace {

using NodePointer = std::shared_ptr<const Node>;

constexpr int deepest_tree = 256;

// Stands for "no such form" in the table of functions.
constexpr Operation constant_only = Operation::constant;

struct Function {
  std::string_view name;
  Operation operation, of_requests;
  int arguments; // 0: any number
};
constexpr Function functions[] = {{"min", Operation::minimum, Operation::minimum_of_requests, 0},
                                  {"max", Operation::maximum, Operation::maximum_of_requests, 0},
                                  {"sum", constant_only, Operation::sum_of_requests, 0},
                                  {"ceil_div", Operation::ceil_div, constant_only, 2},
                                  {"round_up", Operation::round_up, constant_only, 2},
                                  {"log2", Operation::log2, constant_only, 1}};

bool is_operator_word(std::string_view word) {
  static constexpr std::string_view words[] = {"and", "or", "not", "in", "if", "else", "for"};
  return std::ranges::find(words, word) != std::end(words);
}

class Parser {
 public:
  explicit Parser(const std::string& text) : lexer_(text) {}

  ParsedExpression parse() {
    const NodePointer root = expression();
    if (lexer_.token().kind != Token::Kind::end) fail("must be the end, or an operator before it");
    return {root, std::move(names_), std::move(fields_)};
  }

 private:
  // Counts what is open: parentheses, functions, `else`, `not` and `-`. The parser recurses.
  struct Deeper {
    explicit Deeper(Parser& of) : parser(of) {
      if (++parser.depth_ > deepest_expression) parser.fail_nested(deepest_expression);
    }
    ~Deeper() { --parser.depth_; }
    Deeper(const Deeper&) = delete;
    Parser& parser;
  };

  [[noreturn]] void fail(const std::string& expected) const {
    const Token& token = lexer_.token();
    const bool end = token.kind == Token::Kind::end;
    throw ParseMistake{token.begin + 1, end ? "the end" : token.spelling, expected};
  }
  [[noreturn]] void fail_nested(int most) const {
    fail(fmt::format("is nested deeper than {} operations", most));
  }
  bool at_word(std::string_view word) const {
    return lexer_.token().kind == Token::Kind::word && lexer_.token().spelling == word;
  }
  bool at_sign(std::string_view sign) const {
    return lexer_.token().kind == Token::Kind::sign && lexer_.token().spelling == sign;
  }
  bool take_word(std::string_view word) {
    const bool is = at_word(word);
    if (is) next();
    return is;
  }
  bool take_sign(std::string_view sign) {
    const bool is = at_sign(sign);
    if (is) next();
    return is;
  }
  void require_sign(std::string_view sign) {
    if (!take_sign(sign)) fail(fmt::format("must be `{}`", sign));
  }
  void next() {
    last_end_ = lexer_.token().end;
    lexer_.advance();
  }

  NodePointer made(Operation operation, size_t begin, std::vector<NodePointer> operands,
                   std::string name = "") {
    int depth = 0;
    for (const NodePointer& operand : operands) depth = std::max(depth, operand->depth + 1);
    // Evaluation recurses too, and chains make a tree deeper than what is open.
    if (depth > deepest_tree) fail_nested(deepest_tree);
    return std::make_shared<const Node>(
        Node{operation, begin + 1, last_end_ + 1, depth, {}, std::move(name), std::move(operands)});
  }

  NodePointer deeper_expression() {
    const Deeper deeper(*this);
    return expression();
  }

  NodePointer expression() {
    const size_t begin = lexer_.token().begin;
    NodePointer value = any_of();
    if (!take_word("if")) return value;
    NodePointer condition = any_of();
    if (!take_word("else")) fail("must be `else`");
    NodePointer otherwise = deeper_expression();
    return made(Operation::choice, begin, {condition, value, otherwise});
  }

  NodePointer any_of() {
    return chain({{"or", Operation::logical_or}}, [this] { return all_of(); });
  }
  NodePointer all_of() {
    return chain({{"and", Operation::logical_and}}, [this] { return negation(); });
  }

  NodePointer negation() {
    const size_t begin = lexer_.token().begin;
    if (!take_word("not")) return comparison();
    const Deeper deeper(*this);
    NodePointer operand = negation();
    return made(Operation::logical_not, begin, {operand});
  }

  NodePointer comparison() {
    const size_t begin = lexer_.token().begin;
    NodePointer left = terms();
    const auto operation = comparing();
    if (!operation) return left;
    const bool list = *operation == Operation::is_in || *operation == Operation::is_not_in;
    std::vector<NodePointer> operands{left};
    if (list) {
      for (NodePointer& each : parenthesised()) operands.push_back(std::move(each));
    } else {
      operands.push_back(terms());
    }
    NodePointer result = made(*operation, begin, std::move(operands));
    if (at_comparing()) fail("must compare two at a time: `a < b and b < c`");
    return result;
  }

  static constexpr std::pair<std::string_view, Operation> comparisons[] = {
      {"==", Operation::equal},         {"!=", Operation::different}, {"<=", Operation::less_equal},
      {">=", Operation::greater_equal}, {"<", Operation::less},       {">", Operation::greater}};

  bool at_comparing() const {
    return at_word("in") || at_word("not") ||
           std::ranges::any_of(comparisons, [this](const auto& each) { return at_sign(each.first); });
  }

  std::optional<Operation> comparing() {
    for (const auto& [sign, operation] : comparisons)
      if (take_sign(sign)) return operation;
    if (take_word("in")) return Operation::is_in;
    if (!take_word("not")) return std::nullopt;
    if (!take_word("in")) fail("must be `in`");
    return Operation::is_not_in;
  }

  NodePointer terms() {
    return chain({{"+", Operation::add}, {"-", Operation::subtract}}, [this] { return factors(); });
  }
  NodePointer factors() {
    return chain({{"*", Operation::multiply},
                  {"//", Operation::floor_divide},
                  {"%", Operation::remainder},
                  {"/", Operation::divide}},
                 [this] { return sign(); });
  }
  NodePointer sign() {
    const size_t begin = lexer_.token().begin;
    if (!take_sign("-")) return primary();
    if (lexer_.token().kind == Token::Kind::number) { // with its sign: -2^63 has no number without
      const Token token = lexer_.token();
      next();
      return constant(begin, token.end, number_of(token, true));
    }
    const Deeper deeper(*this);
    NodePointer operand = sign();
    return made(Operation::negate, begin, {operand});
  }

  // Operands from the left to the right: the tree grows deeper with each.
  template <class Operand>
  NodePointer chain(std::vector<std::pair<std::string_view, Operation>> operators, Operand operand) {
    const size_t begin = lexer_.token().begin;
    NodePointer left = operand();
    for (int length = 0;; ++length) {
      const auto found = std::ranges::find_if(
          operators, [&](const auto& each) { return take_sign(each.first) || take_word(each.first); });
      if (found == operators.end()) return left;
      if (length >= deepest_expression)
        fail(fmt::format("comes behind more than {} operands", deepest_expression));
      NodePointer right = operand();
      left = made(found->second, begin, {left, right});
    }
  }

  std::vector<NodePointer> parenthesised() {
    require_sign("(");
    std::vector<NodePointer> all;
    while (!at_sign(")")) {
      all.push_back(deeper_expression());
      if (!take_sign(",")) break;
    }
    require_sign(")");
    return all;
  }

  NodePointer primary() {
    const Token token = lexer_.token();
    switch (token.kind) {
    case Token::Kind::number: next(); return constant(token.begin, token.end, number_of(token, false));
    case Token::Kind::text: next(); return constant(token.begin, token.end, token.spelling);
    case Token::Kind::word: next(); return word(token);
    default: break;
    }
    if (!take_sign("(")) fail("must be a number, a text, a name or `(`");
    NodePointer inner = deeper_expression();
    require_sign(")");
    return inner;
  }

  static NodePointer constant(size_t begin, size_t end, Value value) {
    return std::make_shared<const Node>(
        Node{Operation::constant, begin + 1, end + 1, 0, std::move(value), "", {}});
  }

  static Value number_of(const Token& token, bool negative) {
    const std::string& text = token.spelling;
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* const first = text.data() + (hex ? 2 : 0);
    const char* const last = text.data() + text.size();
    uint64_t magnitude = 0;
    const auto [stop, error] = std::from_chars(first, last, magnitude, hex ? 16 : 10);
    if (stop == last && error != std::errc::invalid_argument) {
      if (error != std::errc() || magnitude > uint64_t{INT64_MAX} + (negative ? 1 : 0))
        throw ParseMistake{token.begin + 1, text, "must fit into 64 bits with a sign"};
      return static_cast<int64_t>(negative ? -magnitude : magnitude);
    }
    double real = 0;
    const auto [end, wrong] = std::from_chars(text.data(), last, real);
    if (hex || wrong != std::errc() || end != last || !std::isfinite(real))
      throw ParseMistake{token.begin + 1, text, "must be a number: 42, 0x10, 0.5, 1e-3"};
    return negative ? -real : real;
  }

  NodePointer word(const Token& token) {
    if (is_operator_word(token.spelling))
      throw ParseMistake{token.begin + 1, token.spelling, "must be a number, a text, a name or `(`"};
    if (token.spelling == "true" || token.spelling == "false")
      return constant(token.begin, token.end, token.spelling == "true");
    if (token.spelling == "null") return constant(token.begin, token.end, Pointer{});
    if (at_sign("(")) return call(token);
    names_.push_back({token.spelling, token.begin + 1});
    return made(Operation::name, token.begin, {}, token.spelling);
  }

  NodePointer call(const Token& function) {
    const auto* const found = std::ranges::find(functions, function.spelling, &Function::name);
    if (found == std::end(functions))
      throw ParseMistake{function.begin + 1, function.spelling,
                         "must be one of the functions min, max, sum, ceil_div, round_up, log2"};
    require_sign("(");
    const size_t names_before = names_.size();
    std::vector<NodePointer> arguments;
    while (!at_sign(")")) {
      arguments.push_back(deeper_expression());
      if (arguments.size() == 1 && found->of_requests != constant_only && take_word("for"))
        return over_requests(function, found->of_requests, arguments.front(), names_before);
      if (!take_sign(",")) break;
    }
    require_sign(")");
    if (found->operation == constant_only)
      throw ParseMistake{function.begin + 1, function.spelling, "must be sum(E for r in requests)"};
    if (found->arguments != 0 && arguments.size() != static_cast<size_t>(found->arguments))
      throw ParseMistake{
          function.begin + 1, function.spelling,
          fmt::format("must have {} argument{}", found->arguments, found->arguments == 1 ? "" : "s")};
    if (arguments.empty()) throw ParseMistake{function.begin + 1, function.spelling, "must have an argument"};
    return made(found->operation, function.begin, std::move(arguments));
  }

  NodePointer over_requests(const Token& function, Operation operation, const NodePointer& body,
                            size_t names_before) {
    const Token name = lexer_.token();
    if (name.kind != Token::Kind::word || name.spelling.find('.') != std::string::npos ||
        is_word_of_expressions(name.spelling))
      fail("must be a name");
    next();
    if (!take_word("in") || !take_word("requests")) fail("must be `in requests`");
    require_sign(")");
    // It stands behind its uses, which were taken for free names.
    std::vector<NamedPlace> used(names_.begin() + static_cast<ptrdiff_t>(names_before), names_.end());
    names_.resize(names_before);
    const std::string dotted = name.spelling + '.';
    for (NamedPlace& each : used) {
      if (each.name.starts_with(dotted))
        fields_.push_back({each.name.substr(dotted.size()), each.column + dotted.size()});
      else if (each.name != name.spelling)
        names_.push_back(std::move(each));
    }
    return made(operation, function.begin, {body}, name.spelling);
  }

  Lexer lexer_;
  std::vector<NamedPlace> names_, fields_;
  size_t last_end_ = 0;
  int depth_ = 0;
};

} // namespace

bool is_word_of_expressions(std::string_view word) {
  return is_operator_word(word) || word == "true" || word == "false" || word == "null" ||
         std::ranges::find(functions, word, &Function::name) != std::end(functions);
}

ParsedExpression parse_expression(const std::string& text) {
  if (text.size() > longest_expression)
    throw ParseMistake{longest_expression + 1, fmt::format("{} characters", text.size()),
                       fmt::format("must have at most {}", longest_expression)};
  return Parser(text).parse();
}

} // namespace fmha950::harness::external
