#pragma once
// One problem under many schedules of the embedded device: a kernel that waits and synchronises correctly
// gives the same bits under all of them.

#include "harness/probe/schedule_list.hpp"
#include "interface/implementation.hpp"
#include "interface/outcome.hpp"

#include <optional>

namespace fmha950::harness {

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
