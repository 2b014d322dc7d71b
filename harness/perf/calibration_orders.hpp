#pragma once
// One GEMM in several orders of its workgroups (grid_swizzle.csv): how fast each is of the fastest, which clocks alone do not
// tell, and what energy a byte beyond L2 takes (docs/timing.md#workgroup-order-and-l2).

#include "harness/perf/calibration.hpp"
#include "harness/perf/calibration_gemms.hpp"

namespace fmha950::harness {

// Over the rounds that were measured nothing keeps a chiplet's CUs together.
std::vector<std::string> with_cus_apart(std::vector<std::string> assumptions);

// A row for each of `orders`, which `clocks` are of; the energy is fitted to those that are to fit.
void add_orders(const std::vector<PublishedGemm>& orders, const std::vector<GemmClocks>& clocks,
                Calibration& calibration);

} // namespace fmha950::harness
