#pragma once
// What a stream captures instead of doing it: operations for a graph.

#include "emulator/hip/graph.hpp"

namespace fmha950::hip {

// Adds the operation to the graph that the stream captures. False: it captures none, so the operation is to be done.
bool captured(hipStream_t stream, NodeType type, const Operation& operation);

// Captures it, or has it done in the stream's order. Of a host function `kind` says so.
void enqueue(hipStream_t stream, NodeType type, const Operation& operation, WorkKind kind = WorkKind::device);
// Likewise, but behind what the stream has to do before the call returns.
void do_now(hipStream_t stream, NodeType type, const Operation& operation);

bool is_capturing(hipStream_t stream);

// An event that a capturing stream records carries the capture to the streams that wait for it. False: no capture has to do
// with it.
bool capture_record(hipEvent_t event, hipStream_t stream);
bool capture_wait(hipStream_t stream, hipEvent_t event);
void end_captures_of(hipStream_t stream); // which is destroyed

} // namespace fmha950::hip
