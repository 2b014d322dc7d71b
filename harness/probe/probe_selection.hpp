#pragma once
// The probes in whose name the regular expression is found, in order. Throws InvalidInput for a malformed
// expression and for one that no probe matches.

#include "harness/probe/probe.hpp"

namespace fmha950::harness {

std::vector<Probe> select_probes(std::vector<Probe> probes, const std::string& filter);

} // namespace fmha950::harness
