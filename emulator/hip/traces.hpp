#pragma once
// Option trace: launches append what a workgroup executed to a file (trace/trace.hpp).

#include "emulator/trace/trace.hpp"

#include <memory>

namespace fmha950::hip {

// "" ends the tracing. Returns "" or what would be right.
std::string trace_to(const std::string& text);

// The trace of this launch; null when nothing is traced.
std::unique_ptr<observe::Trace> trace_of(const machine::Launch& launch);

// Appends the trace of a launch that is over.
void write_trace(const observe::Trace& trace);

} // namespace fmha950::hip
