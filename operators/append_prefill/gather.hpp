#pragma once

#include "operators/append_prefill/append_gather.hpp"

namespace fmha950::reference::FMHA950_SIMD {

using OperatorGather = AppendGather;

} // namespace fmha950::reference::FMHA950_SIMD
