#include "emulator/hip/streams.hpp"

#include "emulator/hip/capture.hpp"
#include "emulator/hip/launch_log.hpp"

#include <algorithm>

namespace fmha950::hip {
namespace {

constexpr int least_priority = 1, greatest_priority = -1; // as ROCm reports them
// hipStreamLegacy and hipStreamPerThread of hip_runtime_api.h.
const hipStream_t legacy = reinterpret_cast<hipStream_t>(1), per_thread = reinterpret_cast<hipStream_t>(2);

constexpr unsigned non_blocking = 1; // hipStreamNonBlocking

// Its work is done even when the stream is destroyed before.
struct OwnStream : ihipStream_t {
  OwnStream(unsigned flags, int priority, WorkQueuePointer queue)
      : ihipStream_t{flags, priority, std::move(queue)} {}
  ~OwnStream() { close(queue); }
};

// hipStreamPerThread: blocking, and each thread's own (hip_runtime_api.h).
const WorkQueuePointer& queue_of_thread() {
  thread_local const OwnStream stream(0, 0, WorkQueue::make(WorkQueue::Order::blocking));
  return stream.queue;
}

Handles<ihipStream_t>& streams() {
  static auto& handles = *new Handles<ihipStream_t>;
  return handles;
}

hipError_t create(hipStream_t* stream, unsigned flags, int priority) {
  return call([&] {
    require(stream, hipErrorInvalidValue, "stream is null");
    if (flags > 1)
      throw CallError(hipErrorInvalidValue,
                      fmt::format("flags = {}: must be 0 or 1 (hipStreamNonBlocking)", flags));
    const auto order = flags & non_blocking ? WorkQueue::Order::independent : WorkQueue::Order::blocking;
    *stream = streams().add(std::make_shared<OwnStream>(
        flags, std::clamp(priority, greatest_priority, least_priority), WorkQueue::make(order)));
  });
}

} // namespace

bool is_default(hipStream_t stream) { return !stream || stream == legacy || stream == per_thread; }

void require_stream(hipStream_t stream) {
  if (!is_default(stream)) streams().get(stream, "stream");
}

WorkQueuePointer queue_of(hipStream_t stream) {
  if (stream == per_thread) return queue_of_thread();
  return is_default(stream) ? WorkQueue::null() : streams().share(stream, "stream")->queue;
}

void synchronise_device() {
  wait_for_all();
  Runtime::get().require_healthy();
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
  return call(AfterFault::release, [&] {
    streams().remove(stream, "stream");
    end_captures_of(stream);
  });
}
FMHA950_HIP_API hipError_t hipStreamSynchronize(hipStream_t stream) {
  return call([&] {
    wait_for(queue_of(stream));
    Runtime::get().require_healthy();
  });
}
FMHA950_HIP_API hipError_t hipStreamQuery(hipStream_t stream) {
  return call([&] {
    require(is_idle(queue_of(stream)), hipErrorNotReady, "stream has work that is not finished");
    Runtime::get().require_healthy();
  });
}

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
FMHA950_HIP_API hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  return call([&] {
    require_stream(stream);
    require(device, hipErrorInvalidValue, "device is null");
    *device = 0;
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
    const auto tell = [=] {
      log_callback();
      callback(stream, Runtime::get().has_faulted() ? hipErrorLaunchFailure : hipSuccess, data);
    };
    enqueue(stream, NodeType::host, [=]() -> Work { return tell; }, WorkKind::callback);
  });
}
FMHA950_HIP_API hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void*), void* data) {
  return call([&] {
    require_stream(stream);
    require(function, hipErrorInvalidValue, "fn is null");
    enqueue(
        stream, NodeType::host, [=]() -> Work { return [=] { log_callback(), function(data); }; },
        WorkKind::host);
  });
}

} // namespace fmha950::hip
