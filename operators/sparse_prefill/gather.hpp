#pragma once

#include "operators/sparse_prefill/list_gather.hpp"

namespace fmha950::reference::FMHA950_SIMD {

using OperatorGather = ListGather;

} // namespace fmha950::reference::FMHA950_SIMD
