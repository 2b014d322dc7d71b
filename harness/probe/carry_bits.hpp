#pragma once
// A kernel may not need the carry of a buffer's base[31:0] + offset: what hardware does about it is disputed (docs/hardware/errata.md,
// CK #9214). The embedded device has both readings, option carry.

#include "interface/implementation.hpp"
#include "interface/tensors.hpp"

#include <optional>
#include <string>

namespace fmha950::harness {

// Runs the problem with the carry and without. Says where bits differ or what the hazard checks found, as one line; a fault is thrown on. A GPU has
// its own reading alone: nothing is run. The option is left as the environment has it.
std::optional<std::string> carry_difference(const Implementation& implementation, const Problem& problem,
                                            const Tensors& tensors);

} // namespace fmha950::harness
