#pragma once
// Cases with the attention shapes of published models (data/model_shapes.csv), and who takes them.

#include "workload/model_shapes.hpp"

#include <string>
#include <vector>

namespace fmha950::harness {

// Case strings of the model's shape: a prefill, chunks behind a prefix over FP8 caches with queries in 16 bits, a prefill in
// FP8; sparse_prefill where its rows are the model's.
std::vector<std::string> model_cases(const workload::ModelShape& shape);

// A line for each model, and below it one for each case with the implementations that take it, or why none does.
std::string model_case_table();

} // namespace fmha950::harness
