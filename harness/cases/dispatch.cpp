#include "harness/cases/dispatch.hpp"

#include "harness/cases/single_calls.hpp"
#include "interface/case_text.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace fmha950::harness {

namespace {

Dispatch try_one(const Implementation& implementation, const Problem& problem) {
  const Support support = implementation.supports(as_single_call(problem));
  return {.requested = std::string(implementation.name()),
          .implementation = support ? &implementation : nullptr,
          .why_not = support.why_not};
}

std::vector<const Implementation*> in_order_of_ranks(const Problem& problem) {
  std::vector<const Implementation*> candidates;
  for (const auto& implementation : implementations())
    if (implementation->rank(problem) != Rank::by_name_only) candidates.push_back(implementation.get());
  std::sort(candidates.begin(), candidates.end(), [&](const auto* a, const auto* b) {
    return std::pair(a->rank(problem), a->name()) < std::pair(b->rank(problem), b->name());
  });
  return candidates;
}

// Of implementations that support the problem, in order of ranks: the chosen one's place, and why.
std::pair<size_t, std::string_view> choose(std::span<const Implementation* const> supporting,
                                           const Problem& problem) {
  const auto competes = [&](const Implementation* one) { return one->rank(problem) < Rank::others; };
  if (std::ranges::count_if(supporting, competes) < 2) return {0, "rank"};
  if (problem.batch_invariant) return {0, "rank: with deterministic=1 no lengths decide"};
  std::optional<double> least = estimated_seconds(*supporting[0], problem);
  if (!least) return {0, "rank: no estimate was made for this form"};
  size_t chosen = 0;
  for (size_t i = 1; i < supporting.size() && competes(supporting[i]); ++i) {
    const std::optional<double> seconds = estimated_seconds(*supporting[i], problem);
    if (!seconds || *seconds >= *least) continue;
    least = seconds;
    chosen = i;
  }
  return {chosen, "the least estimate"};
}

Dispatch choose_automatically(const Problem& problem) {
  Dispatch result{.requested = "auto"};
  std::vector<const Implementation*> supporting;
  for (const Implementation* candidate : in_order_of_ranks(problem)) {
    const Dispatch tried = try_one(*candidate, problem);
    if (tried.implementation != nullptr)
      supporting.push_back(candidate);
    else if (supporting.empty())
      result.passed_over.push_back({tried.requested, tried.why_not});
  }
  if (supporting.empty()) {
    result.why_not = result.fallback();
    return result;
  }
  const auto [chosen, why] = choose(supporting, problem);
  for (size_t i = 0; i < chosen; ++i)
    result.passed_over.push_back(
        {std::string(supporting[i]->name()),
         estimated_seconds(*supporting[i], problem) ? "slower by the estimate" : "no estimate"});
  result.implementation = supporting[chosen];
  result.chosen_by = why;
  return result;
}

} // namespace

std::string Dispatch::fallback() const {
  std::string text;
  for (const PassedOver& tried : passed_over)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", tried.implementation, tried.reason);
  return text;
}

std::optional<double> estimated_seconds(const Implementation& implementation, const Problem& problem) {
  return implementation.estimated_seconds(as_single_call(problem));
}

std::vector<Dispatch> dispatch(const std::string& requested, const Problem& problem) {
  validate_problem(problem); // what no operator has is wrong, not unsupported
  if (requested == "auto") return {choose_automatically(problem)};
  std::vector<Dispatch> all;
  for (const std::string& name : requested_names(requested))
    all.push_back(try_one(find_implementation(name), problem));
  return all;
}

std::vector<std::string> requested_names(const std::string& requested) {
  if (requested == "auto") return {requested};
  std::vector<std::string> names;
  if (requested == "all") {
    for (const auto& implementation : implementations()) names.emplace_back(implementation->name());
    return names;
  }
  for (const std::string_view part : case_text::split(requested, ',')) {
    const std::string name(find_implementation(part).name());
    if (std::ranges::find(names, name) != names.end())
      throw InvalidInput("implementation", requested, fmt::format("must name {} once", name));
    names.push_back(name);
  }
  return names;
}

} // namespace fmha950::harness
