#pragma once
// One problem under many schedules of the embedded device: a kernel that waits and synchronises correctly gives
// the same bits under all of them.

#include "interface/implementation.hpp"
#include "interface/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness {

// The schedules under which a kernel is explored, by sweeps and by judges of mutants: eager and lazy memory
// with waves in turn, each starved in turn, and then seeds of random and pct for memory and waves. Those of a
// smaller count come first in a larger one. Mutants are judged under those with the first seed 1.
std::vector<std::string> mutation_schedules(size_t count, uint64_t first_seed = 1);

// Those of a sweep. `text` is their number (of mutation_schedules(), seeds from `seed` on), or the schedules
// themselves, separated by commas with '+' for a schedule's own comma. "" is no sweep. Throws InvalidInput for
// a number below 2 and for a list of fewer than two.
std::vector<std::string> schedule_list(const std::string& text, uint64_t seed);

struct ScheduleFailure {
  size_t index = 0; // in the list
  OutcomeKind kind = OutcomeKind::hazard;
  std::string reason;
};

// Runs the problem (of several calls their whole chunks as one) under every schedule of the list and compares
// the bits, of append_prefill's cache, too, with those under the first, in as many processes as there are
// cores (the device has one schedule at a time). Stops at the first difference, hazard report or error in the
// list's order, whatever the processes' timing. For the embedded device only: a process that uses a GPU
// cannot be copied.
std::optional<ScheduleFailure> sweep(const Implementation& implementation, const Problem& problem,
                                     const Tensors& tensors, const std::vector<std::string>& schedules);

} // namespace fmha950::harness
