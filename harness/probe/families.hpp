#pragma once
// The families of probes: each operator registers its own, where it lives (operators/*/trials).

#include "harness/probe/probe.hpp"

#include <initializer_list>
#include <string_view>

namespace fmha950::harness {

using ProbeFamily = std::vector<Probe> (*)();

// The families of an operator, in the order in which they run: an object of this type, made before main.
struct RegisterProbes {
  RegisterProbes(std::string_view op, std::initializer_list<ProbeFamily> families);
};

// Of all operators in their order. One probe of each common form stands before all others.
std::vector<Probe> all_probes();

} // namespace fmha950::harness
