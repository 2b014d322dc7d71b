// Hints about managed memory. There is one address space, so they are checked and have nothing to do.
#include "emulator/hip/memory.hpp"
#include "emulator/hip/streams.hpp"

namespace fmha950::hip {
namespace {

struct Location { // hipMemLocation
  int type, id;
};

hipError_t hint(const void* pointer, size_t bytes, hipStream_t stream = nullptr) {
  return call([&] {
    require_stream(stream);
    const auto allocation = Memory::get().find(pointer);
    if (!allocation || bytes == 0 ||
        bytes > allocation->bytes - (reinterpret_cast<uint64_t>(pointer) - allocation->begin))
      throw CallError(hipErrorInvalidValue,
                      fmt::format("dev_ptr = {}, count = {}: must lie in one allocation", pointer, bytes));
  });
}

} // namespace

FMHA950_HIP_API hipError_t hipMemPrefetchAsync(const void* pointer, size_t bytes, int, hipStream_t stream) {
  return hint(pointer, bytes, stream);
}
FMHA950_HIP_API hipError_t hipMemPrefetchAsync_v2(const void* pointer, size_t bytes, Location, unsigned,
                                                  hipStream_t stream) {
  return hint(pointer, bytes, stream);
}
FMHA950_HIP_API hipError_t hipMemAdvise(const void* pointer, size_t bytes, int, int) {
  return hint(pointer, bytes);
}
FMHA950_HIP_API hipError_t hipMemAdvise_v2(const void* pointer, size_t bytes, int, Location) {
  return hint(pointer, bytes);
}

} // namespace fmha950::hip
