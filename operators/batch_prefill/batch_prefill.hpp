#pragma once

#include "interface/operator_name.hpp"

namespace fmha950 {

inline constexpr OperatorName batch_prefill{"batch_prefill"};

} // namespace fmha950
