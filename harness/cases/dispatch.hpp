#pragma once
// From the implementations a user asks for to the ones that run: names separated by commas, `all`, or `auto`.

#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::harness {

struct PassedOver { // by `auto`, before it found one
  std::string implementation, reason;
};

struct Dispatch {
  std::string requested;                          // a name or "auto"
  const Implementation* implementation = nullptr; // null: none supports the problem
  std::string why_not;                            // if there is none: the first reason of each that was tried
  std::vector<PassedOver> passed_over;            // in the order in which they were tried

  // "pipelined: soft cap; baseline: ...", why `implementation` is not the first choice; "" if it is.
  std::string fallback() const;
};

// `all` and names give one entry per implementation, in their order; `auto` gives one: the first by rank,
// then by name, that supports the problem. Throws InvalidInput for a name that is unknown, empty or
// given twice, and for a problem that no operator has.
std::vector<Dispatch> dispatch(const std::string& requested, const Problem& problem);

// The names `requested` stands for before any problem is known; throws as dispatch() does for names.
std::vector<std::string> requested_names(const std::string& requested);

} // namespace fmha950::harness
