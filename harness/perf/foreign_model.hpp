#pragma once
// The cycle model on a kernel that somebody else built.

#include "harness/foreign/foreign_run.hpp"
#include "harness/perf/model_run.hpp"

namespace fmha950::harness {

// Some workgroups of the launch in full, on fresh buffers, as model_case() has it. Throws InvalidInput on a real GPU,
// which has no model. FLOPs are not known.
Modelled model_foreign(const LoadedKernel& kernel, const LaunchShape& shape, const ArgumentBlock& arguments,
                       const ModelOptions& options);

// One workgroup for each coordinate along dimension `along` of the grid (0 is x), the other two 0: where that coordinate
// alone decides how much a workgroup does, as the block of queries under a causal mask, this is the whole launch.
// Workgroups at equal distances can meet the same block of each batch.
Modelled model_foreign_along(int along, const LoadedKernel& kernel, const LaunchShape& shape,
                             const ArgumentBlock& arguments, std::vector<std::string> assumptions = {});

// The first round of one chiplet's workgroups together, which share its L2, times the rounds: of kernels whose workgroups
// all do the same and read lines of each other's, as a GEMM's.
Modelled model_foreign_together(const LoadedKernel& kernel, const LaunchShape& shape,
                                const ArgumentBlock& arguments, const std::vector<std::string>& assumptions);

// Lines for readers.
std::string describe_foreign(const Modelled& modelled);

} // namespace fmha950::harness
