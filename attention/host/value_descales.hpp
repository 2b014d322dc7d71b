#pragma once
// Page descales where the output is kept in units of the V descale of the tile at hand.

#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <string_view>

namespace fmha950::attention {

// Throws InvalidInput that names the implementation where a unit could overflow fp32 in another one.
void check_value_descales(const Problem& problem, const Tensors& host, std::string_view implementation);

} // namespace fmha950::attention
