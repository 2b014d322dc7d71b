#pragma once
// From the implementations a user asks for to the ones that run: names separated by commas, `all`, or `auto`.

#include "interface/implementation.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness {

struct PassedOver { // by `auto`, before the one that it chose
  std::string implementation, reason;
};

struct Dispatch {
  std::string requested;                          // a name or "auto"
  const Implementation* implementation = nullptr; // null: none supports the problem
  std::string why_not = {};                       // if there is none: the first reason of each that was tried
  std::vector<PassedOver> passed_over = {};       // in the order of ranks and names
  std::string_view chosen_by = {};                // of `auto`, if there is one: in words

  // "pipelined: soft cap; baseline: ...", why `implementation` is not the first choice; "" if it is.
  std::string fallback() const;
};

// `all` and names give one entry per implementation, in their order; `auto` gives one. Of those that support the problem that is
// the one with the least estimated_seconds(), if the first by rank, then by name, has an estimate and is none of Rank::others; only
// those before Rank::others are compared. Else, and with deterministic=1, for which no length of a request may decide what becomes
// of another, it is the first. Runs nothing. Throws InvalidInput for a name that is unknown, empty or given twice, and for a
// problem that no operator has.
std::vector<Dispatch> dispatch(const std::string& requested, const Problem& problem);

// Implementation::estimated_seconds() of the problem as one call; the implementation supports it.
std::optional<double> estimated_seconds(const Implementation& implementation, const Problem& problem);

// The names `requested` stands for before any problem is known; throws as dispatch() does for names.
std::vector<std::string> requested_names(const std::string& requested);

} // namespace fmha950::harness
