#pragma once
// What expressions of tests are evaluated with, and how what comes of them is said.

#include "harness/external/expression.hpp"
#include "interface/error.hpp"
#include "tests/support/catch.hpp"

#include <fmt/format.h>

namespace fmha950::test {

using namespace harness::external;

inline Scope table_scope() { // as in expression_table.py
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

inline std::string printed(const Value& value) {
  if (const auto* const integer = std::get_if<int64_t>(&value)) return fmt::format("integer {}", *integer);
  if (const auto* const truth = std::get_if<bool>(&value)) return fmt::format("truth {:d}", *truth);
  if (const auto* const real = std::get_if<double>(&value)) return fmt::format("real {}", *real);
  return text_of(value);
}

inline Value value_of(const std::string& text, const Scope& scope = table_scope()) {
  return Expression("FILE: key", text).value(scope);
}

// The error's text, or the value.
inline std::string said(const std::string& text, const Scope& scope = table_scope()) {
  try {
    return printed(value_of(text, scope));
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

} // namespace fmha950::test
