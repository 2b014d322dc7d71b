#pragma once

#include "interface/operator_name.hpp"

namespace fmha950 {

inline constexpr OperatorName sparse_prefill{"sparse_prefill"};

} // namespace fmha950
