#pragma once
// Work on mutants is dealt out to copies of this process, because the device's options are those of a process.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness {

// Throws InvalidInput where there is no embedded device.
void require_mutants();

struct WorkerShare {
  size_t worker, count;
  std::function<void()> did_one;
};

// Runs `work` in as many copies as there are cores; returns the lines of their answers. Shows progress on stderr: of
// `total` things of the kind `what` each copy says when it has done one. Throws std::runtime_error with
// what an exception in a copy said. Call require_mutants() before.
std::vector<std::string> lines_of_workers(size_t total, const std::string& what,
                                          const std::function<std::string(const WorkerShare&)>& work);

} // namespace fmha950::harness
