#pragma once
// From the implementation a user asks for to the ones that run: a name, `all`, or `auto`.

#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::harness {

struct Dispatch {
  std::string requested;                          // a name or "auto"
  const Implementation* implementation = nullptr; // null: none supports the problem
  std::string why_not;                            // the first reason of each that was tried
};

// `all` gives one entry per implementation; a name or `auto` gives one. `auto` tries pipelined, then
// baseline, then the others by name. Throws InvalidInput for an unknown name.
std::vector<Dispatch> dispatch(const std::string& requested, const Problem& problem);

// The names `requested` stands for before any problem is known; throws as dispatch() does.
std::vector<std::string> requested_names(const std::string& requested);

} // namespace fmha950::harness
