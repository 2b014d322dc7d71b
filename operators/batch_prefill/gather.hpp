#pragma once

#include "operators/paged/paged_gather.hpp"

namespace fmha950::reference::FMHA950_SIMD {

using OperatorGather = PagedGather;

} // namespace fmha950::reference::FMHA950_SIMD
