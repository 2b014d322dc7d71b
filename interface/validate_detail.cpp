#include "interface/validate_detail.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::validation {
namespace {

// A tensor of no elements need not be there at all.
bool matches(const Expected& expected) {
  if (expected.shape.empty() ||
      std::find(expected.shape.begin(), expected.shape.end(), 0) != expected.shape.end())
    return expected.tensor.empty();
  return expected.tensor.type() == expected.type && expected.tensor.shape() == expected.shape;
}

} // namespace

void check_rules(const Problem& problem, std::span<const Rule> rules) {
  for (const Rule& rule : rules)
    if (!rule.holds(problem)) throw InvalidInput(rule.field, rule.value(problem), rule.expected);
}

void check_expected(std::span<const Expected> tensors) {
  for (const Expected& expected : tensors)
    if (!matches(expected))
      throw InvalidInput(expected.name, text_of(expected.tensor.type(), expected.tensor.shape()),
                         expected.shape.empty() ? "must be absent for this problem"
                                                : "must be " + text_of(expected.type, expected.shape));
}

void check_sink_logits(const Tensors& t) {
  const auto values = t.sink_logit.as<float>();
  for (size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i]) || values[i] == INFINITY)
      refuse("sink_logit", values[i], "must be finite or -inf", i);
}

} // namespace fmha950::validation
