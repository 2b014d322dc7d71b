// Texts of expressions: what is none, how deep and long they may be, which names and terms they have.
#include "tests/harness/external/expressions.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

std::vector<std::string> names_of(const std::vector<NamedPlace>& places) {
  std::vector<std::string> names;
  for (const NamedPlace& place : places) names.push_back(fmt::format("{}@{}", place.name, place.column));
  return names;
}

std::string times(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

} // namespace

TEST_CASE("expressions: what is no expression") {
  const std::pair<const char*, const char*> refused[] = {
      {"", "column 1 = the end: must be a number, a text, a name or `(`"},
      {"  ", "column 3 = the end: must be a number, a text, a name or `(`"},
      {"1 +", "column 4 = the end: must be a number, a text, a name or `(`"},
      {"(1 + 2", "column 7 = the end: must be `)`"},
      {"1 2", "column 3 = 2: must be the end, or an operator before it"},
      {"a.", "column 2 = .: is no sign of expressions"},
      {"a = 3", "column 3 = =: is no sign of expressions"},
      {"a & 3", "column 3 = &: is no sign of expressions"},
      {"2 × 3", "column 3 = ×: is no sign of expressions"},
      {"2 ** 3", "column 4 = *: must be a number, a text, a name or `(`"},
      {"+3", "column 1 = +: must be a number, a text, a name or `(`"},
      {"'open", "column 1 = 'open: has no closing quote"},
      {"a if causal", "column 12 = the end: must be `else`"},
      {"if a", "column 1 = if: must be a number, a text, a name or `(`"},
      {"a not b", "column 7 = b: must be `in`"},
      {"a in b", "column 6 = b: must be `(`"},
      {"a < b < 3", "column 7 = <: must compare two at a time: `a < b and b < c`"},
      {"a == b != 3", "column 8 = !=: must compare two at a time: `a < b and b < c`"},
      {"a in (1, 2) == causal", "column 13 = ==: must compare two at a time: `a < b and b < c`"},
      {"a < b not in (1, 2)", "column 7 = not: must compare two at a time: `a < b and b < c`"},
      {"abs(a)", "column 1 = abs: must be one of the functions min, max, sum, ceil_div, round_up, log2"},
      {"min()", "column 1 = min: must have an argument"},
      {"ceil_div(1)", "column 1 = ceil_div: must have 2 arguments"},
      {"log2(1, 2)", "column 1 = log2: must have 1 argument"},
      {"r.n.m.o(1)", "column 1 = r.n.m.o: must be one of the functions"},
      {"unknown + 1", "column 1 = unknown: is no name that is known here"}};
  for (const auto& [text, expected] : refused) {
    INFO(text);
    CHECK_THAT(said(text), Catch::StartsWith(std::string("FILE: key, ") + expected));
  }
  // Columns are those of the text that stands in the file.
  try {
    Expression("FILE: key", "a + zero // zero", 5).value(table_scope());
    FAIL("evaluated");
  } catch (const InvalidInput& error) {
    CHECK(error.field == "FILE: key, column 9");
  }
}

TEST_CASE("expressions: depth and length are bounded") {
  const auto nested = [](const std::string& open, const std::string& close, int depth) {
    return times(open, depth) + "1" + times(close, depth);
  };
  for (const auto& [open, close] :
       {std::pair("(", ")"), {"min(", ")"}, {"-", ""}, {"not ", ""}, {"1 if 0 else ", ""}}) {
    INFO(open);
    CHECK_THAT(said(nested(open, close, deepest_expression)), Catch::Matches("(integer|truth) -?[01]"));
    CHECK_THAT(said(nested(open, close, deepest_expression + 2)),
               Catch::Contains("is nested deeper than 64 operations"));
  }
  CHECK(said("1" + times(" + 1", deepest_expression)) == "integer 65");
  CHECK_THAT(said("1" + times(" + 1", deepest_expression + 1)), Catch::Contains("comes behind more than 64"));
  // Chains in parentheses: the deepest tree that a text of legal length could be, if it were not bounded.
  std::string deep = "1";
  while (deep.size() < longest_expression - 140) deep = "(" + deep + times("+1", 60) + ")";
  CHECK_THAT(said(deep), Catch::Contains("is nested deeper than 256 operations"));
  const std::string blanks(longest_expression - 1, ' ');
  CHECK(said(blanks + "1") == "integer 1");
  CHECK(said(blanks + "12") == "FILE: key, column 4097 = 4097 characters: must have at most 4096");
  CHECK_NOTHROW(value_of("min(" + times("1,", 2000) + ")"));
}

TEST_CASE("expressions: their names and terms") {
  const Expression expression("F: k", "a + r.n * sum(s.n + s.m + b for s in requests) if causal else a");
  CHECK(names_of(expression.names()) ==
        std::vector<std::string>{"a@1", "r.n@5", "b@27", "causal@51", "a@63"});
  CHECK(names_of(expression.request_fields()) == std::vector<std::string>{"n@17", "m@23"});
  CHECK(names_of(Expression("F: k", "sum(s for s in requests) + s").names()) ==
        std::vector<std::string>{"s@28"});
  CHECK(names_of(Expression("F: k", "true and null == null and 'a' == 'a'").names()).empty());

  const Expression needs("F: k", "a == 7 and (kv == 'fp8' and (b > 0 or zero)) and (1 if a and b else 2)");
  std::vector<std::string> terms;
  for (const Expression& term : needs.terms()) terms.push_back(term.text());
  CHECK(terms == std::vector<std::string>{"a == 7", "kv == 'fp8'", "b > 0 or zero", "1 if a and b else 2"});
  CHECK(names_of(needs.terms()[1].names()) == std::vector<std::string>{"kv@13"});
  CHECK(needs.terms()[0].truth(table_scope()));
  CHECK_FALSE(needs.terms()[2].truth(table_scope()));
  CHECK(Expression("F: k", "(a)").terms()[0].text() == "a");
  try { // the column is that of the whole
    Expression("F: k", "causal and a // zero > 1").terms()[1].truth(table_scope());
    FAIL("evaluated");
  } catch (const InvalidInput& error) {
    CHECK(std::string(error.what()) == "F: k, column 12 = a // zero: must not divide by zero");
  }
}

TEST_CASE("expressions: as what is asked for") {
  const auto refused = [](auto call) {
    try {
      call(table_scope());
      return std::string();
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
  };
  const Expression real("F: k", "a / 2"), integer("F: k", "a * 2"), text("F: k", "kv");
  CHECK(real.real(table_scope()) == 3.5);
  CHECK(integer.real(table_scope()) == 14);
  CHECK(integer.integer(table_scope(), 14, 14) == 14);
  CHECK(integer.truth(table_scope()));
  CHECK(refused([&](const Scope& scope) { integer.integer(scope, 1, 13); }) ==
        "F: k, column 1 = 14 (a * 2): must be from 1 to 13");
  CHECK(refused([&](const Scope& scope) { real.integer(scope); }) ==
        "F: k, column 1 = 3.5 (a / 2): must be an integer");
  CHECK(refused([&](const Scope& scope) { text.real(scope); }) ==
        "F: k, column 1 = 'fp8' (kv): must be a number");
  CHECK(refused([&](const Scope& scope) { text.truth(scope); }) ==
        "F: k, column 1 = 'fp8' (kv): must be true or false, or an integer");
  Scope outer = table_scope();
  const Scope inner{.names = {{"a", int64_t{1}}}, .requests = nullptr, .outer = &outer};
  CHECK(integer.integer(inner) == 2); // the nearest
  CHECK(Expression("F: k", "b").integer(inner) == -3);
}
