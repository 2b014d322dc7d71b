#pragma once
// The families of probes: each operator registers its own, where it lives (operators/*/trials).

#include "harness/probe/probe.hpp"

#include <initializer_list>
#include <string_view>

namespace fmha950::harness {

using ProbeFamily = std::vector<Probe> (*)();

// The families of an operator, in the order in which they run: one object of this type, made before main. `swept` is a regular
// expression over names of probes: a sweep of schedules without a filter runs these. Empty: it runs none of this operator.
struct RegisterProbes {
  RegisterProbes(std::string_view op, std::initializer_list<ProbeFamily> families,
                 std::string_view swept = "");
};

// Of all operators in their order. One probe of each common form stands before all others.
std::vector<Probe> all_probes();

// Those that a sweep runs without a filter, of all operators, as the filter that finds them.
std::string filter_of_sweeps();

} // namespace fmha950::harness
