#pragma once
// The probes, of whatever kind, in whose name the regular expression is found, in order. Throws InvalidInput
// for a malformed expression and for one that no probe matches.

#include "harness/cases/name_filter.hpp"
#include "interface/error.hpp"

#include <string>
#include <vector>

namespace fmha950::harness {

template <class AnyProbe>
std::vector<AnyProbe> select_probes(std::vector<AnyProbe> probes, const std::string& filter) {
  const NameFilter wanted(filter);
  std::erase_if(probes, [&](const AnyProbe& probe) { return !wanted.finds(probe.name); });
  if (probes.empty()) throw InvalidInput("filter", filter, "matches no probe (--list-probes prints them)");
  return probes;
}

} // namespace fmha950::harness
