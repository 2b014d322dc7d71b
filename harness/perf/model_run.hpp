#pragma once
// Runs a case on the embedded device for its cycle model: some workgroups of each launch, in full.

#include "emulator/timing/sample_choice.hpp"
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

// `model(samples)` with as many as are asked for, else with more until they are certain: where workgroups' lengths do not fall
// evenly over the grid, few say little of the others.
template <class Model> Modelled model_by_samples(const ModelOptions& options, const Model& model) {
  constexpr double certain = 0.05;
  constexpr size_t most_samples = 65;
  if (options.samples > 0) return model(static_cast<size_t>(options.samples));
  for (size_t samples = timing::fewest_samples;; samples = 4 * samples - 3) {
    Modelled modelled = model(samples);
    if (modelled.sampling_error().value_or(1) <= certain || samples >= most_samples) return modelled;
  }
}

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
