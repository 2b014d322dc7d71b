#pragma once
// Work on mutants is dealt out to copies of this process, because the device's options are those of a process.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness {

// Runs `work(worker, count)` in as many copies as there are cores; returns the lines of their answers. Throws
// InvalidInput where there is no embedded device, std::runtime_error with what an exception in a copy said.
std::vector<std::string>
lines_of_workers(const std::function<std::string(size_t worker, size_t count)>& work);

} // namespace fmha950::harness
