#pragma once

#include "interface/operator_name.hpp"

namespace fmha950 {

inline constexpr OperatorName merge{"merge"};

} // namespace fmha950
