#pragma once
// Streams and events.

#include "emulator/hip/handles.hpp"
#include "emulator/hip/work_queue.hpp"

struct ihipStream_t {
  unsigned flags = 0;
  int priority = 0;
  fmha950::hip::WorkQueuePointer queue;
};

namespace fmha950::hip {

bool is_default(hipStream_t stream);           // null or a named default stream
void require_stream(hipStream_t stream);       // null, a named default stream, or live; throws CallError
WorkQueuePointer queue_of(hipStream_t stream); // likewise
void record_event(hipEvent_t event, hipStream_t stream); // throws CallError; null is skipped
void destroy_streams();
void destroy_events();
void synchronise_device(); // throws CallError: a fault on the way

} // namespace fmha950::hip
