#include "harness/cases/dispatch.hpp"

#include "harness/cases/single_calls.hpp"
#include "interface/case_text.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

Dispatch try_one(const Implementation& implementation, const Problem& problem) {
  const Support support = implementation.supports(as_single_call(problem));
  return {std::string(implementation.name()), support ? &implementation : nullptr, support.why_not, {}};
}

Dispatch try_in_turn(const Problem& problem) {
  std::vector<const Implementation*> candidates;
  for (const auto& implementation : implementations())
    if (implementation->rank() != Rank::by_name_only) candidates.push_back(implementation.get());
  std::sort(candidates.begin(), candidates.end(), [](const auto* a, const auto* b) {
    return std::pair(a->rank(), a->name()) < std::pair(b->rank(), b->name());
  });
  Dispatch result{"auto", nullptr, "", {}};
  for (const Implementation* candidate : candidates) {
    const Dispatch tried = try_one(*candidate, problem);
    result.implementation = tried.implementation;
    if (tried.implementation != nullptr) return result;
    result.passed_over.push_back({tried.requested, tried.why_not});
  }
  result.why_not = result.fallback();
  return result;
}

} // namespace

std::string Dispatch::fallback() const {
  std::string text;
  for (const PassedOver& tried : passed_over)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", tried.implementation, tried.reason);
  return text;
}

std::vector<Dispatch> dispatch(const std::string& requested, const Problem& problem) {
  validate_problem(problem); // what no operator has is wrong, not unsupported
  if (requested == "auto") return {try_in_turn(problem)};
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
