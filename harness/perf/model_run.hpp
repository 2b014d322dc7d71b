#pragma once
// Runs a case on the embedded device for its cycle model: some workgroups of each launch, in full.

#include "harness/perf/modelled.hpp"
#include "interface/implementation.hpp"

namespace fmha950::harness {

struct ModelOptions {
  int samples = 0; // workgroups of each launch; 0: 5, or 17 or 65 where fewer leave over 5 % uncertain
  std::vector<std::string> assumptions; // emulator/timing/assumption_words.hpp
  bool explain = false;                 // prints what moves the figure, and its energy stack
  bool no_interval = false; // no replays under what sources leave open (clock_law.hpp: assumed_clock_laws)
  std::vector<std::string> words() const; // of the device's option timing
  std::string arguments() const;          // what differs from the defaults, as on the command line
};

// Throws InvalidInput on a real GPU, which has no model.
Modelled model_case(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                    const ModelOptions& options);

struct TimedWorkgroup {                 // of one launch
  std::string kernel, perfetto, source; // emulator/timing/report
};
// Workgroup `workgroup` of each launch that has it.
std::vector<TimedWorkgroup> time_workgroup(const Implementation& implementation, const Problem& problem,
                                           const Tensors& tensors, uint32_t workgroup,
                                           const std::vector<std::string>& assumptions);

} // namespace fmha950::harness
