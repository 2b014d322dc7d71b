#pragma once
// What outputs hold before a launch, so that elements which a kernel never writes are found. A signalling
// NaN: arithmetic and conversions make quiet ones (IEEE 754-2019, 6.2.3), the harness fills what nobody reads
// with 0xFF bytes, and inputs that are read hold no NaN at all.

#include "interface/problem.hpp"

#include <cstddef>
#include <vector>

namespace fmha950::harness {

std::vector<std::byte> output_poison(ElementType type, size_t elements); // bf16, fp16 or fp32
bool is_output_poison(ElementType type, const std::byte* element);

} // namespace fmha950::harness
