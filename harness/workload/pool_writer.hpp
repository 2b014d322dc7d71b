#pragma once
// K and V pools from their unquantised originals: descales, elements in the problem's layout, and poison.

#include "harness/workload/page_assignment.hpp"
#include "interface/tensors.hpp"

namespace fmha950::workload {

// Fills k_pool, v_pool, k_descale and v_descale from k_original and v_original (fp32 LINEAR pools).
void write_pools(const Problem& problem, const PageAssignment& pages, bool power_of_two, Tensors& tensors);

} // namespace fmha950::workload
