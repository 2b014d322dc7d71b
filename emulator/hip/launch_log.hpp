#pragma once
// Option launches: what a program launched, for `fmha950 external capture` (docs/your_kernel.md). FOLDER/launches.jsonl
// gets a line of JSON for each launch; each code object is saved beside it once.
//
//   {"kernel":"attention","object":"0123456789abcdef.co","grid":[4,8,1],"block":[256,1,1],"lds":0,
//    "arguments":[{"at":0,"bytes":8,"kind":"global_buffer","hex":"00f0..."}, ...],
//    "pointers":[{"at":0,"allocation":2,"size":65536,"offset":0}, ...]}
//
// `allocation`: a number for each allocation, in the order in which launches were given them. Words of the arguments that
// are no address of live memory stand in no entry of `pointers`.

#include "emulator/hip/launch.hpp"

#include <span>
#include <string>

namespace fmha950::hip {

// "" ends it. Returns "" or what would be right.
std::string log_launches_to(const std::string& folder);

// A module that was loaded: the object of its kernels.
void log_object(const loader::CodeObject& object, std::span<const std::byte> elf);

// Before the launch is queued. A launch that a graph captures is logged when it is captured, and not when it is replayed.
void log_launch(const loader::Kernel& kernel, const PreparedLaunch& launch);

} // namespace fmha950::hip
