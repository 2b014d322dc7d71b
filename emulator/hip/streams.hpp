#pragma once
// Streams and events. Work is done when the call that enqueues it returns, so streams only have to exist.

#include "emulator/hip/handles.hpp"

#include <chrono>

struct ihipStream_t {
  unsigned flags = 0;
  int priority = 0;
};

struct ihipEvent_t {
  unsigned flags = 0;
  std::optional<std::chrono::steady_clock::time_point> recorded;
};

namespace fmha950::hip {

void require_stream(hipStream_t stream); // null, a named default stream, or live; throws CallError
void record_event(hipEvent_t event);     // throws CallError; null is skipped
void destroy_streams();
void destroy_events();

} // namespace fmha950::hip
