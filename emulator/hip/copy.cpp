// Copies and fills. The device shares the host's address space: a copy is a copy, when its turn has come.
#include "emulator/hip/copy.hpp"

#include "emulator/hip/capture.hpp"
#include "emulator/hip/hazards.hpp"
#include "emulator/hip/runtime.hpp"
#include "emulator/hip/streams.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/observe/engine.hpp"

#include <algorithm>
#include <cstring>

namespace fmha950::hip {
namespace {

void check_copy(void* to, const void* from, size_t bytes, int kind) {
  if ((kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) && kind != hipMemcpyDeviceToDeviceNoCU)
    throw CallError(hipErrorInvalidMemcpyDirection, fmt::format("kind = {}: must be 0 to 4", kind));
  const bool within = kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU;
  require_range("dst", to, bytes, within || kind == hipMemcpyHostToDevice);
  require_range("src", from, bytes, within || kind == hipMemcpyDeviceToHost);
}

bool is_pageable(const void* pointer) {
  return machine::AddressSpace::device().find(reinterpret_cast<uint64_t>(pointer)).end == 0;
}

hipError_t copy(void* to, const void* from, size_t bytes, int kind, hipStream_t stream = nullptr) {
  return call([&] {
    require_stream(stream);
    do_now(stream, NodeType::copy, [=] { return copy_work(to, from, bytes, kind); });
  });
}

// From and to memory that is not pinned it returns when it is done (hip_runtime_api.h, hipMemcpyAsync).
hipError_t copy_async(void* to, const void* from, size_t bytes, int kind, hipStream_t stream) {
  if (is_pageable(to) || is_pageable(from)) return copy(to, from, bytes, kind, stream);
  return call([&] {
    require_stream(stream);
    enqueue(stream, NodeType::copy, [=] { return copy_work(to, from, bytes, kind); });
  });
}

using Copy = decltype(copy);

hipError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t height, int kind, Copy* copy_row, hipStream_t stream = nullptr) {
  if (width > to_pitch || width > from_pitch)
    return call([&] {
      throw CallError(hipErrorInvalidValue, fmt::format("width = {}: must be at most dpitch {} and spitch {}",
                                                        width, to_pitch, from_pitch));
    });
  for (size_t row = 0; row < height; ++row) {
    const hipError_t error = copy_row(static_cast<char*>(to) + row * to_pitch,
                                      static_cast<const char*>(from) + row * from_pitch, width, kind, stream);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}

template <class Value> Work fill_of(void* to, Value value, size_t count) {
  if (count == 0) return [] {};
  require(count <= SIZE_MAX / sizeof(Value), hipErrorInvalidValue, "count is too large");
  require_range("dst", to, count * sizeof(Value), true);
  return [=] {
    require_range("dst", to, count * sizeof(Value), true);
    std::fill_n(static_cast<Value*>(to), count, value);
    observe::HazardEngine::get().host_wrote(to, count * sizeof(Value));
  };
}

template <class Value> hipError_t fill(void* to, Value value, size_t count) {
  return call([&] { do_now(nullptr, NodeType::fill, [=] { return fill_of(to, value, count); }); });
}

template <class Value> hipError_t fill_async(void* to, Value value, size_t count, hipStream_t stream) {
  return call([&] {
    require_stream(stream);
    enqueue(stream, NodeType::fill, [=] { return fill_of(to, value, count); });
  });
}

hipError_t require_one_device(int to, int from) {
  return call([&] {
    if (to != 0 || from != 0)
      throw CallError(hipErrorInvalidDevice,
                      fmt::format("dstDevice = {}, srcDevice = {}: both must be 0", to, from));
  });
}

} // namespace

// Code objects' variables count too, so the device's own table is asked, not the program's allocations.
void require_range(const char* what, const void* pointer, size_t bytes, bool on_device) {
  if (!pointer) throw CallError(hipErrorInvalidValue, fmt::format("{} is null", what));
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const machine::Extent extent = machine::AddressSpace::device().find(address);
  if (extent.end == 0) {
    if (on_device)
      throw CallError(hipErrorInvalidValue, fmt::format("{} = {}: not device memory", what, pointer));
  } else if (!extent.contains(address, bytes)) {
    throw CallError(hipErrorInvalidValue, fmt::format("{} = {}: {} bytes reach {} bytes past the allocation",
                                                      what, pointer, bytes, address + bytes - extent.end));
  }
}

Work copy_work(void* to, const void* from, size_t bytes, int kind) {
  if (bytes == 0) return [] {};
  check_copy(to, from, bytes, kind);
  return [=] {
    check_copy(to, from, bytes, kind);
    std::memmove(to, from, bytes);
    if (observe::HazardEngine::get().copied(to, from, bytes)) publish_hazards();
  };
}

Work fill_work(void* to, unsigned value, unsigned element_bytes, size_t count) {
  switch (element_bytes) {
  case 1: return fill_of(to, static_cast<uint8_t>(value), count);
  case 2: return fill_of(to, static_cast<uint16_t>(value), count);
  case 4: return fill_of(to, value, count);
  default:
    throw CallError(hipErrorInvalidValue, fmt::format("elementSize = {}: must be 1, 2 or 4", element_bytes));
  }
}

FMHA950_HIP_API hipError_t hipMemcpy(void* to, const void* from, size_t bytes, int kind) {
  return copy(to, from, bytes, kind);
}
FMHA950_HIP_API hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, int kind,
                                          hipStream_t stream) {
  return copy_async(to, from, bytes, kind, stream);
}
FMHA950_HIP_API hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, int kind,
                                               hipStream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
FMHA950_HIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void* from, size_t bytes) {
  return copy(to, from, bytes, hipMemcpyHostToDevice);
}
FMHA950_HIP_API hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDeviceToHost);
}
FMHA950_HIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDeviceToDevice);
}
FMHA950_HIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void* from, size_t bytes,
                                              hipStream_t stream) {
  return copy_async(to, from, bytes, hipMemcpyHostToDevice, stream);
}
FMHA950_HIP_API hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes,
                                              hipStream_t stream) {
  return copy_async(to, from, bytes, hipMemcpyDeviceToHost, stream);
}
FMHA950_HIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                                              hipStream_t stream) {
  return copy_async(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}

FMHA950_HIP_API hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                       size_t width, size_t height, int kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, copy);
}
FMHA950_HIP_API hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                            size_t width, size_t height, int kind, hipStream_t stream) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, copy_async, stream);
}

// One device: both ids name it.
FMHA950_HIP_API hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                              size_t bytes, hipStream_t stream) {
  const hipError_t error = require_one_device(to_device, from_device);
  return error == hipSuccess ? copy_async(to, from, bytes, hipMemcpyDeviceToDevice, stream) : error;
}
FMHA950_HIP_API hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                         size_t bytes) {
  const hipError_t error = require_one_device(to_device, from_device);
  return error == hipSuccess ? copy(to, from, bytes, hipMemcpyDeviceToDevice) : error;
}

FMHA950_HIP_API hipError_t hipMemset(void* to, int value, size_t bytes) {
  return fill(to, static_cast<uint8_t>(value), bytes);
}
FMHA950_HIP_API hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream) {
  return fill_async(to, static_cast<uint8_t>(value), bytes, stream);
}
FMHA950_HIP_API hipError_t hipMemsetD8(hipDeviceptr_t to, uint8_t value, size_t count) {
  return fill(to, value, count);
}
FMHA950_HIP_API hipError_t hipMemsetD8Async(hipDeviceptr_t to, uint8_t value, size_t count,
                                            hipStream_t stream) {
  return fill_async(to, value, count, stream);
}
FMHA950_HIP_API hipError_t hipMemsetD16(hipDeviceptr_t to, uint16_t value, size_t count) {
  return fill(to, value, count);
}
FMHA950_HIP_API hipError_t hipMemsetD16Async(hipDeviceptr_t to, uint16_t value, size_t count,
                                             hipStream_t stream) {
  return fill_async(to, value, count, stream);
}
FMHA950_HIP_API hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return fill(to, value, count);
}
FMHA950_HIP_API hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  return fill_async(to, value, count, stream);
}

} // namespace fmha950::hip
