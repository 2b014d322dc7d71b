// Expressions of manifests: what Python says of the same text (expression_table.py made the table), and what is refused.
#include "harness/external/expression.hpp"
#include "interface/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

using namespace fmha950;
using namespace fmha950::harness::external;

namespace {

Scope table_scope() { // as in expression_table.py
  Scope scope;
  scope.names = {{"a", int64_t{7}},
                 {"b", int64_t{-3}},
                 {"zero", int64_t{0}},
                 {"big", INT64_MAX},
                 {"low", INT64_MIN},
                 {"page_size", int64_t{16}},
                 {"half", 0.5},
                 {"kv", std::string("fp8")},
                 {"causal", true},
                 {"r.n", int64_t{129}},
                 {"p", Pointer{0x1000}},
                 {"nothing", Pointer{}},
                 {"last", Pointer{~uint64_t{0}}}};
  return scope;
}

std::string printed(const Value& value) {
  if (const auto* const integer = std::get_if<int64_t>(&value)) return fmt::format("integer {}", *integer);
  if (const auto* const truth = std::get_if<bool>(&value)) return fmt::format("truth {:d}", *truth);
  if (const auto* const real = std::get_if<double>(&value)) return fmt::format("real {}", *real);
  return text_of(value);
}

Value value_of(const std::string& text, const Scope& scope = table_scope()) {
  return Expression("FILE: key", text).value(scope);
}

// The error's text, or the value.
std::string said(const std::string& text, const Scope& scope = table_scope()) {
  try {
    return printed(value_of(text, scope));
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

std::string result_in_table(const std::string& text) {
  try {
    const Value value = value_of(text);
    if (const auto* const real = std::get_if<double>(&value)) return fmt::format("real {:a}", *real);
    return printed(value);
  } catch (const InvalidInput& error) {
    const std::string what = error.what();
    if (what.find("must fit into 64 bits") != what.npos) return "overflow";
    if (what.find("must not divide by zero") != what.npos) return "zero";
    if (what.find("divisor from 1 on") != what.npos || what.find("power of two") != what.npos)
      return "domain";
    return what;
  }
}

std::vector<std::string> names_of(const std::vector<NamedPlace>& places) {
  std::vector<std::string> names;
  for (const NamedPlace& place : places) names.push_back(fmt::format("{}@{}", place.name, place.column));
  return names;
}

const std::vector<RequestNames> two_requests = {{{{"n", int64_t{5}}, {"x", 0.25}}},
                                                {{{"n", int64_t{-2}}, {"x", 2.0}}}};

Scope with_requests(const std::vector<RequestNames>& requests) {
  Scope scope = table_scope();
  scope.requests = &requests;
  return scope;
}

std::string times(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

} // namespace

TEST_CASE("expressions: what Python says of the same text") {
  std::ifstream table(source_path("tests/harness/external/expression_table.tsv"));
  size_t rows = 0;
  for (std::string row; std::getline(table, row); ++rows) {
    const size_t tab = row.find('\t');
    const std::string text = row.substr(0, tab), expected = row.substr(tab + 1);
    INFO(text);
    if (expected.starts_with("real ")) { // Python writes 0x1.8000000000000p+0, another form of the same bits
      const Value value = value_of(text);
      REQUIRE(std::holds_alternative<double>(value));
      CHECK(std::get<double>(value) == std::strtod(expected.c_str() + 5, nullptr));
      CHECK(std::signbit(std::get<double>(value)) == (expected[5] == '-'));
    } else {
      CHECK(result_in_table(text) == expected);
    }
  }
  CHECK(rows > 1800);
}

TEST_CASE("expressions: overflow at the exact limits") {
  for (const char* text :
       {"big + 0", "low - 0", "big - 1 + 1", "low + 1 - 1", "4611686018427387904 * -2",
        "4611686018427387903 * 2 + 1", "-9223372036854775808", "-0x8000000000000000", "0x7fffffffffffffff",
        "-big", "low // 1", "round_up(big, big)", "ceil_div(big, 1)"}) {
    INFO(text);
    CHECK(said(text).starts_with("integer "));
  }
  CHECK(said("low % -1") == "integer 0");
  for (const char* text : {"big + 1", "low - 1", "low + -1", "4611686018427387904 * 2", "-low", "0 - low",
                           "low // -1", "low * -1", "round_up(big, 2)", "-(low)"}) {
    INFO(text);
    CHECK_THAT(said(text), Catch::Contains("must fit into 64 bits with a sign"));
  }
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "0x8000000000000000",
                           "99999999999999999999999", "-(9223372036854775808)"}) {
    INFO(text);
    CHECK_THAT(said(text), Catch::Contains("must fit into 64 bits with a sign"));
  }
  CHECK(said("99999999999999999999.5") == "real 1e+20"); // no integer, so no overflow
  CHECK(said("sum(big for r in requests)", with_requests(two_requests)) ==
        "FILE: key, column 1 = sum(big for r in requests): must fit into 64 bits with a sign");
  CHECK(said("1e308 * 10") == "FILE: key, column 1 = 1e308 * 10: must be finite");
  CHECK(said("1 / (half - 0.5)") == "FILE: key, column 1 = 1 / (half - 0.5): must not divide by zero");
  CHECK(said("2 + a % zero") == "FILE: key, column 5 = a % zero: must not divide by zero");
}

TEST_CASE("expressions: numbers of both kinds") {
  CHECK(said("4 / 2") == "real 2");
  CHECK(said("a + half") == "real 7.5");
  CHECK(said("1 == 1.0") == "truth 1");
  CHECK(said("9007199254740993 == 9007199254740992.0") == "truth 0"); // exactly, as in Python
  CHECK(said("9007199254740993 > 9007199254740992.0") == "truth 1");
  CHECK(said("max(2, 2.0)") == "integer 2"); // of equal ones the first, as in Python
  CHECK(said("min(2.0, 2)") == "real 2");
  CHECK(said("1e-3") == "real 0.001");
  CHECK(said(".5") == "real 0.5");
  CHECK(said("0x10") == "integer 16");
  CHECK_THAT(said("7.5 // 2"), Catch::Contains("must have integers on both sides"));
  CHECK_THAT(said("ceil_div(1.5, 2)"), Catch::Contains("must have integers on both sides"));
  for (const char* text : {"1_000", "0x", "1.2.3", "1e", "5x", "0b11", "1e400"}) {
    INFO(text);
    CHECK(said(text) == fmt::format("FILE: key, column 1 = {}: must be a number: 42, 0x10, 0.5, 1e-3", text));
  }
}

TEST_CASE("expressions: kinds do not mix") {
  CHECK(said("causal + 1") == "FILE: key, column 1 = true (causal + 1): must have numbers on both sides");
  CHECK(said("kv + 'x'") == "FILE: key, column 1 = 'fp8' (kv + 'x'): must have numbers on both sides");
  CHECK(said("kv == 8") == "FILE: key, column 1 = kv == 8: compares a text with an integer");
  CHECK(said("causal == 1") == "FILE: key, column 1 = causal == 1: compares true or false with an integer");
  CHECK(said("kv in ('fp8', 8)") ==
        "FILE: key, column 1 = kv in ('fp8', 8): compares a text with an integer");
  CHECK_THAT(said("kv < 'g'"), Catch::Contains("must have numbers on both sides"));
  CHECK_THAT(said("-kv"), Catch::Contains("must have numbers on both sides"));
  CHECK_THAT(said("min('a')"), Catch::Contains("must have numbers on both sides"));
  CHECK(said("not kv") == "FILE: key, column 5 = 'fp8' (kv): must be true or false, or an integer");
  CHECK(said("1 if half else 2") == "FILE: key, column 6 = 0.5 (half): must be true or false, or an integer");
  CHECK(said("zero and 1 // zero") == "truth 0"); // what does not count is not evaluated
  CHECK(said("a or 1 // zero") == "truth 1");
  CHECK(said("1 // zero if zero else 3") == "integer 3");
  CHECK(said("kv == \"fp8\" and 'it' != 'is'") == "truth 1");
  CHECK(said("kv in ()") == "truth 0");
  CHECK(said("a in (7)") == "truth 1");
}

TEST_CASE("expressions: pointers") {
  CHECK(said("p + 16") == "0x1010");
  CHECK(said("p - 16 + 32") == "0x1010");
  CHECK(said("p == p") == "truth 1");
  CHECK(said("nothing == null") == "truth 1");
  CHECK(said("p if causal else null") == "0x1000");
  CHECK(said("nothing + 8") == "FILE: key, column 1 = nothing + 8: must not count from null");
  CHECK(said("p - 4097") == "FILE: key, column 1 = p - 4097: must not count past the end of the addresses");
  CHECK(said("last + 1") == "FILE: key, column 1 = last + 1: must not count past the end of the addresses");
  CHECK(said("last + 0") == "0xffffffffffffffff");
  CHECK(said("p - 4096") == "null");
  for (const char* text :
       {"p * 2", "p + p", "p - p", "8 + p", "p < last", "p // 4", "-p", "p + half", "max(p, p)"}) {
    INFO(text);
    CHECK_THAT(said(text), Catch::Contains("must have numbers on both sides"));
  }
  CHECK_THAT(said("p and 1"), Catch::Contains("0x1000 (p): must be true or false, or an integer"));
  CHECK_THAT(said("p == 0"), Catch::Contains("compares a pointer with an integer"));
}

TEST_CASE("expressions: over requests") {
  const Scope two = with_requests(two_requests);
  CHECK(said("sum(r.n * 2 for r in requests)", two) == "integer 6");
  CHECK(said("sum(r.x for r in requests)", two) == "real 2.25");
  CHECK(said("sum(r for r in requests)", two) == "integer 1"); // their numbers
  CHECK(said("min(r.n for r in requests)", two) == "integer -2");
  CHECK(said("max(r.n + a for r in requests)", two) == "integer 12");
  CHECK(said("sum(sum(r.n * s.n for s in requests) for r in requests)", two) == "integer 9");
  const std::vector<RequestNames> none, one(two_requests.begin(), two_requests.begin() + 1);
  CHECK(said("sum(r.n for r in requests)", with_requests(none)) == "integer 0");
  CHECK(
      said("max(r.n for r in requests)", with_requests(none)) ==
      "FILE: key, column 1 = max(r.n for r in requests): must have a request to look at: the case has none");
  CHECK(said("max(r.n > 0 for r in requests)", with_requests(one)) ==
        "FILE: key, column 1 = true (max(r.n > 0 for r in requests)): must have numbers on both sides");
  CHECK_THAT(said("sum(r.n for r in requests)"), Catch::Contains("stands where there are no requests"));
  CHECK(said("sum(r.m for r in requests)", two) ==
        "FILE: key, column 5 = r.m: is no name that is known here");
  CHECK(said("sum(1, 2)") == "FILE: key, column 1 = sum: must be sum(E for r in requests)");
  CHECK(said("sum(r.n for r in batch)") == "FILE: key, column 18 = batch: must be `in requests`");
  CHECK(said("sum(r.n for r.n in requests)") == "FILE: key, column 13 = r.n: must be a name");
  CHECK(said("sum(r.n for min in requests)") == "FILE: key, column 13 = min: must be a name");
  CHECK(said("ceil_div(r.n for r in requests)") == "FILE: key, column 14 = for: must be `)`");
}

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
