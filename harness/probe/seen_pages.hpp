#pragma once
// What a probe with constant V shows about a wrong output: the weights with which the most wrong query row
// and head saw each page, and those with which it should have. `expected` and `got` are [rows, Hq, D]. Empty
// if the outputs show nothing of the kind.

#include "harness/probe/probe.hpp"
#include "interface/oracle.hpp"

#include <span>

namespace fmha950::harness {

std::string seen_pages(const Probe& probe, const std::vector<QueryRow>& rows,
                       std::span<const double> expected, std::span<const double> got);

} // namespace fmha950::harness
