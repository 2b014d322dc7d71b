#include "harness/probe/probe.hpp"

#include "harness/cases/single_calls.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <map>

namespace fmha950::harness {

namespace {

constexpr double visible_difference = 0.002; // half a unit of bf16 at 1
constexpr double visible_share = 0.01;       // of the largest weight of a row

using Weights = std::map<int32_t, double>; // of the pages that a row may see

// The mean over the columns that belong to a page.
Weights weights_of(const std::vector<int32_t>& page_of_column, std::span<const double> row) {
  Weights sums;
  std::map<int32_t, int> columns;
  for (size_t column = 0; column < page_of_column.size(); ++column) {
    sums[page_of_column[column]] += row[column];
    ++columns[page_of_column[column]];
  }
  for (auto& [page, sum] : sums) sum /= columns[page];
  return sums;
}

double difference(const Weights& a, const Weights& b) {
  double largest = 0;
  for (const auto& [page, weight] : a) {
    const double distance = std::fabs(weight - b.at(page));
    largest = std::isfinite(distance) ? std::max(largest, distance) : HUGE_VAL;
  }
  return largest;
}

std::string text_of(const char* thing, const Weights& weights) {
  if (std::ranges::any_of(weights, [](const auto& weight) { return !std::isfinite(weight.second); }))
    return "NaN or Inf";
  double largest = 0;
  for (const auto& [page, weight] : weights) largest = std::max(largest, std::fabs(weight));
  std::vector<std::string> parts;
  for (const auto& [page, weight] : weights)
    if (weight != 0 && std::fabs(weight) > visible_share * largest)
      parts.push_back(fmt::format("{} {}: {:.3g}", thing, page, weight));
  return parts.empty() ? fmt::format("no {} at all", thing) : fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

Tensors make_tensors(const Probe& probe) {
  Tensors tensors = probe.make ? probe.make() : operators::make_paged_tensors(probe.problem, probe.choices());
  // What quantisation costs is no question of a probe, and the oracle answers in half the time without.
  for (const TensorEntry& entry : probe.problem.op->facts().tensors)
    if (entry.role == TensorRole::original) entry.of(tensors) = Tensor();
  tensors.pool_place = probe.pool_place;
  return tensors;
}

Probe asked_of(std::span<const Implementation* const> implementations, Probe probe) {
  const auto any_supports = [&](const Problem& problem) {
    return std::ranges::any_of(implementations, [&](const Implementation* one) {
      return bool(one->supports(as_single_call(problem)));
    });
  };
  Probe without = probe;
  without.problem.lse = false;
  if (!probe.problem.lse || any_supports(probe.problem) || !any_supports(without.problem)) return probe;
  for (auto& alone : without.alone) alone = std::make_shared<const Probe>(asked_of(implementations, *alone));
  return without;
}

std::string seen_pages(const Probe& probe, const std::vector<QueryRow>& rows,
                       std::span<const double> expected, std::span<const double> got) {
  const auto heads = static_cast<size_t>(probe.problem.query_heads);
  const size_t columns = probe.page_of_column.size();
  const char* thing = probe.problem.op->facts().stored_in;
  double largest = visible_difference;
  std::string text;
  for (size_t i = 0; columns > 0 && i < rows.size() * heads; ++i) {
    const Weights right = weights_of(probe.page_of_column, expected.subspan(i * columns, columns));
    const Weights seen = weights_of(probe.page_of_column, got.subspan(i * columns, columns));
    if (const double distance = difference(right, seen); distance > largest) {
      largest = distance;
      text = fmt::format("request {} query {} head {} saw {} instead of {}", rows[i / heads].request,
                         rows[i / heads].query, i % heads, text_of(thing, seen), text_of(thing, right));
    }
  }
  return text;
}

} // namespace fmha950::harness
