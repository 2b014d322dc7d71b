#pragma once
// Tensors of a merge problem.
//
// - Outputs are rows of V of the value source: token part * n + t of its request 0.
// - Natural LSEs are normal, with the standard deviation `spread` around log(1024): parts of 1,024 keys.
// - Of a hundred parts `empty` are empty, whichever these are. Their LSEs are -inf in parts of even numbers and +inf in the
//   others.
// - Outputs of empty parts are poison.

#include "interface/tensors.hpp"

#include <functional>
#include <span>

namespace fmha950::operators {

struct PartSource {
  std::function<void(int token, int head, std::span<float> lses)> lses; // natural, of all parts of a row
  std::function<void(int part, int token, int head, std::span<float> columns)> output;
};

PartSource part_source(const Problem& problem);
Tensors make_merge_tensors(const Problem& problem, const PartSource& source);

} // namespace fmha950::operators
