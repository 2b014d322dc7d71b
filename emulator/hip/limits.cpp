// hipDeviceSetLimit and hipDeviceGetLimit: what kernels may allocate and print.
#include "emulator/hip/device_heap.hpp"
#include "emulator/hip/device_services.hpp"
#include "emulator/hip/runtime.hpp"

namespace fmha950::hip {
namespace {

enum Limit : int { printf_fifo_size = 1, malloc_heap_size = 2 }; // hipLimit_t; 0 is the stack's

[[noreturn]] void refuse(int limit) {
  throw CallError(hipErrorUnsupportedLimit,
                  fmt::format("limit {}: only 1 (hipLimitPrintfFifoSize) and 2 (hipLimitMallocHeapSize) are "
                              "supported",
                              limit));
}

} // namespace

FMHA950_HIP_API hipError_t hipDeviceSetLimit(int limit, size_t value) {
  return call([&] {
    switch (limit) {
    case printf_fifo_size:
      if (value > INT32_MAX)
        throw CallError(hipErrorInvalidValue, fmt::format("value = {}: must be below 2^31 bytes", value));
      return set_printf_buffer(static_cast<uint32_t>(value));
    case malloc_heap_size: return DeviceHeap::get().set_limit(value);
    default: refuse(limit);
    }
  });
}

FMHA950_HIP_API hipError_t hipDeviceGetLimit(size_t* value, int limit) {
  return call([&] {
    require(value, hipErrorInvalidValue, "pValue is null");
    switch (limit) {
    case printf_fifo_size: *value = printf_buffer(); return;
    case malloc_heap_size: *value = DeviceHeap::get().limit(); return;
    default: refuse(limit);
    }
  });
}

} // namespace fmha950::hip
