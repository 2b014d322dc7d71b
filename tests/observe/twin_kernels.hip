// Faulty kernels and their clean twins: what one class of hazard reports beyond its shortest example
// (hazard_kernels.hip). The line that a report must name ends in HERE.
#include "gfx950/buffer_resource.hpp"

namespace {
using namespace fmha950::gfx950;

FMHA950_INLINE uint32_t global_id() { return workgroup_id_x() * 128 + thread_id(); }
} // namespace

extern "C" {

// One workgroup initialises the counter in the launch in which all count.
__global__ void atomics_beside_a_store_bad(uint32_t* out) {
  if (global_id() == 0) *out = 7; // HERE atomics_beside_a_store
  if (thread_id() == 0) __atomic_fetch_add(out, 1, __ATOMIC_RELAXED);
}
__global__ void atomics_beside_a_store_good(uint32_t* out) {
  if (global_id() == 0) __atomic_store_n(out, 7, __ATOMIC_RELAXED);
  if (thread_id() == 0) __atomic_fetch_add(out, 1, __ATOMIC_RELAXED);
}
}
