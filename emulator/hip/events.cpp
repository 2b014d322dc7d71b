// Events. Their times are wall-clock times of the emulation, not of the modelled device.
#include "emulator/hip/capture.hpp"
#include "emulator/hip/streams.hpp"

#include <atomic>
#include <chrono>

namespace fmha950::hip {
namespace {

struct EventRecord {
  Ticket place;
  // Written when the place is reached.
  std::shared_ptr<std::chrono::steady_clock::time_point> time =
      std::make_shared<std::chrono::steady_clock::time_point>();
};

} // namespace
} // namespace fmha950::hip

struct ihipEvent_t {
  explicit ihipEvent_t(unsigned flags) : flags(flags) {}
  const unsigned flags;
  std::atomic<std::shared_ptr<const fmha950::hip::EventRecord>> record;
};

namespace fmha950::hip {
namespace {

constexpr unsigned disable_timing = 0x2; // hipEventDisableTiming

Handles<ihipEvent_t>& events() {
  static auto& handles = *new Handles<ihipEvent_t>;
  return handles;
}

hipError_t create(hipEvent_t* event, unsigned flags) {
  return call([&] {
    require(event, hipErrorInvalidValue, "event is null");
    *event = events().add(std::make_shared<ihipEvent_t>(flags));
  });
}

// The last record of an event; null: there is none.
std::shared_ptr<const EventRecord> record_of(hipEvent_t event) {
  return events().share(event, "event")->record.load();
}

std::chrono::steady_clock::time_point time_of(hipEvent_t event, const char* what) {
  const auto object = events().share(event, what);
  if (object->flags & disable_timing)
    throw CallError(hipErrorInvalidHandle, fmt::format("{} was created with hipEventDisableTiming", what));
  const auto record = object->record.load();
  if (!record) throw CallError(hipErrorInvalidHandle, fmt::format("{} was never recorded", what));
  if (!is_done(record->place))
    throw CallError(hipErrorNotReady, fmt::format("{} has not been reached", what));
  return *record->time;
}

} // namespace

void record_event(hipEvent_t event, hipStream_t stream) {
  if (!event) return;
  const auto object = events().share(event, "event");
  if (capture_record(event, stream)) return;
  auto record = std::make_shared<EventRecord>();
  record->place = submit(queue_of(stream), WorkKind::small,
                         [time = record->time] { *time = std::chrono::steady_clock::now(); });
  object->record.store(std::move(record));
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
    record_event(event, stream);
  });
}
FMHA950_HIP_API hipError_t hipEventSynchronize(hipEvent_t event) {
  return call([&] {
    if (const auto record = record_of(event)) wait_for(record->place);
    Runtime::get().require_healthy();
  });
}
FMHA950_HIP_API hipError_t hipEventQuery(hipEvent_t event) {
  return call([&] {
    const auto record = record_of(event);
    require(!record || is_done(record->place), hipErrorNotReady, "event has not been reached");
    Runtime::get().require_healthy();
  });
}
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
    const auto record = record_of(event);
    if (!capture_wait(stream, event) && record)
      submit(queue_of(stream), WorkKind::small, [] {}, {record->place});
  });
}

} // namespace fmha950::hip
