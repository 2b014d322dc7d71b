#pragma once
// K and V pools from their unquantised originals: descales, elements in the problem's layout, and poison.

#include "interface/tensors.hpp"
#include "workload/page_assignment.hpp"

#include <functional>

namespace fmha950::workload {

// The page descale of K or V, of a page and head.
using PageDescale = std::function<float(int32_t page, int head, bool is_value)>;

// Fills k_pool, v_pool, k_descale, v_descale and written_pages from k_original and v_original (fp32 LINEAR
// pools). Without a `page_descale` it is amax / 448.
void write_pools(const Problem& problem, const PageAssignment& pages, bool power_of_two,
                 const PageDescale& page_descale, Tensors& tensors);

} // namespace fmha950::workload
