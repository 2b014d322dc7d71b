// Expressions of a manifest: read, and evaluated where their names are integers.
#include "harness/external/expression.hpp"
#include "interface/error.hpp"
#include "tests/fuzz/target.hpp"

#include <cmath>

namespace fmha950::fuzz {
namespace {

using namespace harness::external;

// The values are of the first byte, so that conditions come out either way.
Scope scope_of(const Expression& expression, const std::vector<RequestNames>& requests, uint8_t seed) {
  Scope scope;
  scope.requests = &requests;
  for (const NamedPlace& name : expression.names()) scope.names[name.name] = int64_t{(seed += 37) % 13} - 3;
  return scope;
}

std::vector<RequestNames> requests_of(const Expression& expression) {
  std::vector<RequestNames> requests(2);
  for (const NamedPlace& field : expression.request_fields())
    for (int64_t i = 0; i < 2; ++i) requests[static_cast<size_t>(i)].fields[field.name] = 5 - 7 * i;
  return requests;
}

void check_error(const InvalidInput& error, size_t characters) {
  ensure(error.field.starts_with("F, column "), "an error says its place");
  ensure(std::stoul(error.field.substr(10)) <= characters + 1, "a column lies in the text");
  ensure(error.expected != "is no name that is known here",
         "names() and request_fields() are all that is needed");
}

void expression(Bytes input) {
  if (input.empty()) return;
  const std::string text(input.begin() + 1, input.end());
  try {
    const Expression whole("F", text);
    const std::vector<RequestNames> requests = requests_of(whole);
    const Scope scope = scope_of(whole, requests, input[0]);
    bool all = true;
    for (const Expression& term : whole.terms()) {
      ensure(text.find(term.text()) != std::string::npos, "a term is a part of the text");
      ensure(term.terms().size() == 1, "a term has no terms");
      const Expression again("F", term.text()); // it is an expression of its own, with the same value
      all = all && term.truth(scope);
      ensure(!all || again.truth(scope), "a term means the same where it stands alone");
    }
    const Value value = whole.value(scope);
    ensure(whole.truth(scope) == all, "an expression is true where all of its terms are");
    const double* const real = std::get_if<double>(&value);
    ensure(!real || std::isfinite(*real), "reals are finite");
    ensure(whole.value(scope) == value, "values are the same each time");
  } catch (const InvalidInput& error) {
    check_error(error, text.size());
  }
}

const Registration registration("expression", expression);

} // namespace
} // namespace fmha950::fuzz
