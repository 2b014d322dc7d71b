#pragma once
// Single elements of test data, decoded and made independently of numerics.

#include "interface/tensor.hpp"

#include <random>

namespace fmha950::test {

double decode(ElementType type, const std::byte* element); // bf16, fp16 or fp8

// Writes a random finite element of moderate size and returns its value.
double put_random(Tensor& tensor, int64_t index, std::mt19937& random);

// All ones: NaN in every floating-point type, -1 in int32.
void poison(Tensor& tensor);

int below(std::mt19937& random, int limit); // 0 to limit - 1

} // namespace fmha950::test
