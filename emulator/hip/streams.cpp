#include "emulator/hip/streams.hpp"

#include <algorithm>

namespace fmha950::hip {
namespace {

constexpr int least_priority = 1, greatest_priority = -1; // as ROCm reports them
// hipStreamLegacy and hipStreamPerThread of hip_runtime_api.h.
const hipStream_t legacy = reinterpret_cast<hipStream_t>(1), per_thread = reinterpret_cast<hipStream_t>(2);

Handles<ihipStream_t>& streams() {
  static auto& handles = *new Handles<ihipStream_t>;
  return handles;
}

bool is_default(hipStream_t stream) { return !stream || stream == legacy || stream == per_thread; }

hipError_t create(hipStream_t* stream, unsigned flags, int priority) {
  return call([&] {
    require(stream, hipErrorInvalidValue, "stream is null");
    if (flags > 1)
      throw CallError(hipErrorInvalidValue,
                      fmt::format("flags = {}: must be 0 or 1 (hipStreamNonBlocking)", flags));
    *stream = streams().add(std::make_unique<ihipStream_t>(
        ihipStream_t{flags, std::clamp(priority, greatest_priority, least_priority)}));
  });
}

hipError_t check(hipStream_t stream) {
  return call([&] { require_stream(stream); });
}

} // namespace

void require_stream(hipStream_t stream) {
  if (!is_default(stream)) streams().get(stream, "stream");
}

void destroy_streams() { streams().clear(); }

FMHA950_HIP_API hipError_t hipStreamCreate(hipStream_t* stream) { return create(stream, 0, 0); }
FMHA950_HIP_API hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return create(stream, flags, 0);
}
FMHA950_HIP_API hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}
FMHA950_HIP_API hipError_t hipStreamDestroy(hipStream_t stream) {
  return call(AfterFault::release, [&] { streams().remove(stream, "stream"); });
}
FMHA950_HIP_API hipError_t hipStreamSynchronize(hipStream_t stream) { return check(stream); }
FMHA950_HIP_API hipError_t hipStreamQuery(hipStream_t stream) { return check(stream); }

FMHA950_HIP_API hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return call([&] {
    require(flags, hipErrorInvalidValue, "flags is null");
    *flags = is_default(stream) ? 0 : streams().get(stream, "stream").flags;
  });
}
FMHA950_HIP_API hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  return call([&] {
    require(priority, hipErrorInvalidValue, "priority is null");
    *priority = is_default(stream) ? 0 : streams().get(stream, "stream").priority;
  });
}
FMHA950_HIP_API hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&] {
    if (least) *least = least_priority;
    if (greatest) *greatest = greatest_priority;
  });
}

using StreamCallback = void (*)(hipStream_t, hipError_t, void*);
FMHA950_HIP_API hipError_t hipStreamAddCallback(hipStream_t stream, StreamCallback callback, void* data,
                                                unsigned) {
  return call([&] {
    require_stream(stream);
    require(callback, hipErrorInvalidValue, "callback is null");
    callback(stream, hipSuccess, data);
  });
}
FMHA950_HIP_API hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void*), void* data) {
  return call([&] {
    require_stream(stream);
    require(function, hipErrorInvalidValue, "fn is null");
    function(data);
  });
}

} // namespace fmha950::hip
