// Attributes and occupancy of kernels.
#include "emulator/hip/registration.hpp"
#include "emulator/machine/workgroup.hpp"
#include "numerics/target.hpp"

#include <algorithm>

namespace fmha950::hip {
namespace {

enum FunctionAttribute : int { // hipFunction_attribute of driver_types.h
  max_threads_per_block,
  shared_bytes,
  constant_bytes,
  local_bytes,
  registers,
  ptx_version,
  binary_version,
  cache_mode,
  max_dynamic_shared_bytes,
  shared_carveout
};

struct FunctionAttributes { // hipFuncAttributes
  int binary_version, cache_mode;
  size_t constant_bytes, local_bytes;
  int max_dynamic_shared_bytes, max_threads_per_block, registers, shared_carveout, ptx_version;
  size_t shared_bytes;
};

FunctionAttributes attributes_of(const loader::Kernel& kernel) {
  return {target.version(),
          0,
          0,
          kernel.private_segment,
          static_cast<int>(target.lds_bytes_per_cu - kernel.static_lds),
          static_cast<int>(kernel.max_workgroup),
          static_cast<int>(kernel.vgpr_count),
          0,
          target.version(),
          kernel.static_lds};
}

KernelPointer kernel_of(const void* host_function) {
  return require_kernel(registered_function(host_function));
}

// Workgroups that fit a CU at once: wave slots and registers of the four SIMDs, LDS blocks (machine_gfx950.md
// section 6.5).
int workgroups_per_cu(const loader::Kernel& kernel, int block, size_t dynamic_lds) {
  const int waves = (block + 63) / 64;
  int workgroups = target.simds_per_cu * target.waves_by_vgprs(kernel.vgpr_count) / waves;
  if (waves > 1) workgroups = std::min(workgroups, target.barriers_per_cu);
  const uint64_t lds = kernel.static_lds + dynamic_lds;
  if (lds > 0)
    workgroups = std::min(workgroups, static_cast<int>(target.lds_bytes_per_cu / target.lds_allocated(lds)));
  return workgroups;
}

void occupancy(int* workgroups, const loader::Kernel& kernel, int block, size_t dynamic_lds) {
  if (!workgroups || block < 1)
    throw CallError(hipErrorInvalidValue,
                    fmt::format("numBlocks is null or blockSize = {}: must be at least 1", block));
  *workgroups =
      block > static_cast<int>(kernel.max_workgroup) ? 0 : workgroups_per_cu(kernel, block, dynamic_lds);
}

// The block size, in whole waves, that keeps most waves on a CU; the largest of equals.
void best_block(int* grid, int* block, const loader::Kernel& kernel, size_t dynamic_lds, int limit) {
  require(grid && block, hipErrorInvalidValue, "gridSize or blockSize is null");
  const int largest = limit > 0 ? std::min(limit, static_cast<int>(kernel.max_workgroup))
                                : static_cast<int>(kernel.max_workgroup);
  int best = 0;
  *grid = *block = 0;
  for (int size = std::min(64, largest); size <= largest; size += 64) {
    const int workgroups = workgroups_per_cu(kernel, size, dynamic_lds);
    if (workgroups == 0 || workgroups * size < best) continue;
    best = workgroups * size;
    *block = size;
    *grid = workgroups * target.compute_units();
  }
}

} // namespace

FMHA950_HIP_API hipError_t hipFuncGetAttribute(int* value, int attribute, hipFunction_t function) {
  return call([&] {
    require(value, hipErrorInvalidValue, "value is null");
    const FunctionAttributes all = attributes_of(*require_kernel(function));
    switch (attribute) {
    case max_threads_per_block: *value = all.max_threads_per_block; return;
    case shared_bytes: *value = static_cast<int>(all.shared_bytes); return;
    case constant_bytes: *value = static_cast<int>(all.constant_bytes); return;
    case local_bytes: *value = static_cast<int>(all.local_bytes); return;
    case registers: *value = all.registers; return;
    case ptx_version: *value = all.ptx_version; return;
    case binary_version: *value = all.binary_version; return;
    case cache_mode: *value = all.cache_mode; return;
    case max_dynamic_shared_bytes: *value = all.max_dynamic_shared_bytes; return;
    case shared_carveout: *value = all.shared_carveout; return;
    default: throw CallError(hipErrorInvalidValue, fmt::format("attrib = {}: must be 0 to 9", attribute));
    }
  });
}
FMHA950_HIP_API hipError_t hipFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
  return call([&] {
    require(attributes, hipErrorInvalidValue, "attr is null");
    *attributes = attributes_of(*kernel_of(function));
  });
}
FMHA950_HIP_API hipError_t hipFuncSetAttribute(const void* function, int attribute, int value) {
  return call([&] {
    const FunctionAttributes all = attributes_of(*kernel_of(function));
    if (attribute != max_dynamic_shared_bytes && attribute != shared_carveout)
      throw CallError(hipErrorInvalidValue, fmt::format("attr = {}: must be 8 or 9", attribute));
    if (attribute == max_dynamic_shared_bytes && (value < 0 || value > all.max_dynamic_shared_bytes))
      throw CallError(hipErrorInvalidValue,
                      fmt::format("dynamic LDS = {}: static {} + dynamic must be at most {} "
                                  "bytes",
                                  value, all.shared_bytes, target.lds_bytes_per_cu));
  });
}
// Cache preferences mean nothing on gfx950, whose LDS and L1 are separate.
FMHA950_HIP_API hipError_t hipFuncSetCacheConfig(const void* function, int) {
  return call([&] { kernel_of(function); });
}
FMHA950_HIP_API hipError_t hipFuncSetSharedMemConfig(const void* function, int) {
  return call([&] { kernel_of(function); });
}

FMHA950_HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* workgroups,
                                                                              hipFunction_t function,
                                                                              int block, size_t dynamic_lds) {
  return call([&] { occupancy(workgroups, *require_kernel(function), block, dynamic_lds); });
}
FMHA950_HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* workgroups, hipFunction_t function, int block, size_t dynamic_lds, unsigned) {
  return call([&] { occupancy(workgroups, *require_kernel(function), block, dynamic_lds); });
}
FMHA950_HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* workgroups, const void* function,
                                                                        int block, size_t dynamic_lds) {
  return call([&] { occupancy(workgroups, *kernel_of(function), block, dynamic_lds); });
}
FMHA950_HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* workgroups, const void* function, int block, size_t dynamic_lds, unsigned) {
  return call([&] { occupancy(workgroups, *kernel_of(function), block, dynamic_lds); });
}
FMHA950_HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block,
                                                                   hipFunction_t function, size_t dynamic_lds,
                                                                   int limit) {
  return call([&] { best_block(grid, block, *require_kernel(function), dynamic_lds, limit); });
}
FMHA950_HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block,
                                                                            hipFunction_t function,
                                                                            size_t dynamic_lds, int limit,
                                                                            unsigned) {
  return call([&] { best_block(grid, block, *require_kernel(function), dynamic_lds, limit); });
}
// What is left for each of `workgroups` that are to share a CU.
FMHA950_HIP_API hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                                    int workgroups, int block) {
  return call([&] {
    require(bytes && workgroups > 0 && block > 0, hipErrorInvalidValue,
            "dynamicSmemSize is null, or numBlocks or blockSize is not positive");
    const uint64_t each =
        target.lds_bytes_per_cu / static_cast<unsigned>(workgroups) / target.lds_block * target.lds_block;
    const uint64_t fixed = kernel_of(function)->static_lds;
    *bytes = each > fixed ? each - fixed : 0;
  });
}
FMHA950_HIP_API hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* function,
                                                             size_t dynamic_lds, int limit) {
  return call([&] { best_block(grid, block, *kernel_of(function), dynamic_lds, limit); });
}

} // namespace fmha950::hip
