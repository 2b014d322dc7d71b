// Allocations and fills of rows with a pitch.
#include "emulator/hip/capture.hpp"
#include "emulator/hip/copy.hpp"
#include "emulator/hip/memory.hpp"
#include "emulator/hip/streams.hpp"

namespace fmha950::hip {
namespace {

constexpr size_t pitch_alignment = 256; // of rows: a guess, as ROCm's hipDeviceAttributeTexturePitchAlignment

struct PitchedPointer { // hipPitchedPtr
  void* pointer;
  size_t pitch, width, height;
};
struct Extent { // hipExtent
  size_t width, height, depth;
};

size_t padded(size_t width) { return (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment; }

void* allocate_rows(size_t width, size_t rows) {
  size_t bytes = 0;
  if (width > SIZE_MAX - pitch_alignment || __builtin_mul_overflow(padded(width), rows, &bytes))
    throw CallError(hipErrorInvalidValue,
                    fmt::format("width = {}, height = {}: must fit 64 bits", width, rows));
  return Memory::get().allocate(bytes, MemoryKind::device, 0);
}

hipError_t allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t rows) {
  return call([&] {
    require(pointer && pitch, hipErrorInvalidValue, "a pointer to write is null");
    *pointer = allocate_rows(width, rows);
    *pitch = padded(width);
  });
}

hipError_t fill_rows_async(void* to, size_t pitch, int value, size_t width, size_t rows, hipStream_t stream) {
  return call([&] {
    if (width > pitch)
      throw CallError(hipErrorInvalidValue,
                      fmt::format("width = {}: must be at most the pitch {}", width, pitch));
    require_stream(stream);
    for (size_t row = 0; row < rows; ++row) {
      char* const begin = static_cast<char*>(to) + row * pitch;
      enqueue(stream, NodeType::fill,
              [=] { return fill_work(begin, static_cast<uint8_t>(value), 1, width); });
    }
  });
}

// What was enqueued on the null stream, to its end.
hipError_t finished(hipError_t error) {
  if (error != hipSuccess) return error;
  return call([] {
    wait_for(WorkQueue::null());
    Runtime::get().require_healthy();
  });
}

} // namespace

FMHA950_HIP_API hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return allocate_pitched(pointer, pitch, width, height);
}
FMHA950_HIP_API hipError_t hipMemAllocPitch(void** pointer, size_t* pitch, size_t width, size_t height,
                                            unsigned) {
  return allocate_pitched(pointer, pitch, width, height);
}
FMHA950_HIP_API hipError_t hipMalloc3D(PitchedPointer* pitched, Extent extent) {
  return call([&] {
    require(pitched, hipErrorInvalidValue, "pitchedDevPtr is null");
    size_t rows = 0;
    require(!__builtin_mul_overflow(extent.height, extent.depth, &rows), hipErrorInvalidValue,
            "extent: height times depth must fit 64 bits");
    *pitched = {allocate_rows(extent.width, rows), padded(extent.width), extent.width, extent.height};
  });
}

FMHA950_HIP_API hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return finished(fill_rows_async(to, pitch, value, width, height, nullptr));
}
FMHA950_HIP_API hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                            hipStream_t stream) {
  return fill_rows_async(to, pitch, value, width, height, stream);
}
FMHA950_HIP_API hipError_t hipMemset3DAsync(PitchedPointer to, int value, Extent extent, hipStream_t stream) {
  for (size_t slice = 0; slice < extent.depth; ++slice) {
    char* const begin = static_cast<char*>(to.pointer) + slice * to.pitch * to.height;
    if (const hipError_t error = fill_rows_async(begin, to.pitch, value, extent.width, extent.height, stream))
      return error;
  }
  return hipSuccess;
}
FMHA950_HIP_API hipError_t hipMemset3D(PitchedPointer to, int value, Extent extent) {
  return finished(hipMemset3DAsync(to, value, extent, nullptr));
}

} // namespace fmha950::hip
