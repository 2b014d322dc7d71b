#pragma once
// A memory operation as the cycle model wants it: which unit it holds for how long, and which lines it touches.

#include "emulator/machine/memory_queue.hpp"
#include "emulator/observe/operation/memory_operation.hpp"
#include "emulator/timing/record/wave_record.hpp"

namespace fmha950::timing {

// Adds it to `wave`, for the instruction that was added last.
void record_access(const observe::MemoryOperation& operation, const machine::Access& access,
                   machine::Queue queue, uint32_t lds_bytes, WaveRecord& wave);

} // namespace fmha950::timing
