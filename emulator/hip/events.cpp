// Events. Their times are wall-clock times of the emulation, not of the modelled device.
#include "emulator/hip/streams.hpp"

namespace fmha950::hip {
namespace {

constexpr unsigned disable_timing = 0x2; // hipEventDisableTiming

Handles<ihipEvent_t>& events() {
  static auto& handles = *new Handles<ihipEvent_t>;
  return handles;
}

std::mutex& record_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

hipError_t create(hipEvent_t* event, unsigned flags) {
  return call([&] {
    require(event, hipErrorInvalidValue, "event is null");
    *event = events().add(std::make_unique<ihipEvent_t>(ihipEvent_t{flags, {}}));
  });
}

hipError_t check(hipEvent_t event) {
  return call([&] { events().get(event, "event"); });
}

std::chrono::steady_clock::time_point time_of(hipEvent_t event, const char* what) {
  const ihipEvent_t& object = events().get(event, what);
  if (object.flags & disable_timing)
    throw CallError(hipErrorInvalidHandle, fmt::format("{} was created with hipEventDisableTiming", what));
  const std::lock_guard lock(record_mutex());
  if (!object.recorded) throw CallError(hipErrorInvalidHandle, fmt::format("{} was never recorded", what));
  return *object.recorded;
}

} // namespace

void record_event(hipEvent_t event) {
  if (!event) return;
  ihipEvent_t& object = events().get(event, "event");
  const std::lock_guard lock(record_mutex());
  object.recorded = std::chrono::steady_clock::now();
}

void destroy_events() { events().clear(); }

FMHA950_HIP_API hipError_t hipEventCreate(hipEvent_t* event) { return create(event, 0); }
FMHA950_HIP_API hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return create(event, flags);
}
FMHA950_HIP_API hipError_t hipEventDestroy(hipEvent_t event) {
  return call(AfterFault::release, [&] { events().remove(event, "event"); });
}
FMHA950_HIP_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return call([&] {
    require_stream(stream);
    require(event, hipErrorInvalidHandle, "event is null");
    record_event(event);
  });
}
FMHA950_HIP_API hipError_t hipEventSynchronize(hipEvent_t event) { return check(event); }
FMHA950_HIP_API hipError_t hipEventQuery(hipEvent_t event) { return check(event); }
FMHA950_HIP_API hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  return call([&] {
    require(milliseconds, hipErrorInvalidValue, "ms is null");
    const auto elapsed = time_of(stop, "stop event") - time_of(start, "start event");
    *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
  });
}
FMHA950_HIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  return call([&] {
    require_stream(stream);
    events().get(event, "event");
  });
}

} // namespace fmha950::hip
