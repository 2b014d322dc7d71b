#pragma once

#include "interface/operator_name.hpp"

namespace fmha950 {

inline constexpr OperatorName append_prefill{"append_prefill"};

} // namespace fmha950
