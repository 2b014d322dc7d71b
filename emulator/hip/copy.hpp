#pragma once
// Copies and fills as work: of a stream, or of a graph. Memory is checked when they are made, and again when they are done.
// Throw CallError.

#include "emulator/hip/hip_abi.hpp"
#include "emulator/hip/work_queue.hpp"

namespace fmha950::hip {

// Memory that the device knows, as a whole if it begins there. `what`: the argument's name; `on_device`: it must begin there.
void require_range(const char* what, const void* pointer, size_t bytes, bool on_device);
Work copy_work(void* to, const void* from, size_t bytes, int kind);
Work fill_work(void* to, unsigned value, unsigned element_bytes, size_t count); // of 1, 2 or 4 bytes

} // namespace fmha950::hip
