#pragma once
// What the cycle model says of a case, as records hold it (docs/results.md).

#include "harness/perf/modelled.hpp"

namespace fmha950::harness {

nlohmann::ordered_json to_json(const Modelled& modelled);

} // namespace fmha950::harness
