// Expressions of manifests: what Python says of the same text (expression_table.py made the table), limits and kinds.
#include "tests/harness/external/expressions.hpp"
#include "tests/support/source_path.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>

using namespace fmha950;
using namespace fmha950::test;

namespace {

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

const std::vector<RequestNames> two_requests = {{{{"n", int64_t{5}}, {"x", 0.25}}},
                                                {{{"n", int64_t{-2}}, {"x", 2.0}}}};

Scope with_requests(const std::vector<RequestNames>& requests) {
  Scope scope = table_scope();
  scope.requests = &requests;
  return scope;
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
