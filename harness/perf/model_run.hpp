#pragma once
// Runs a case on the embedded device for its cycle model: some workgroups of each launch, in full.

#include "harness/perf/modelled.hpp"
#include "interface/implementation.hpp"

namespace CLI {
class App;
}

namespace fmha950::harness {

struct ModelOptions {
  int samples = 5;                      // workgroups of each launch
  std::vector<std::string> assumptions; // cold, lds128, exp16, mfma_slot (docs/timing.md)
  void add_options(CLI::App& command);
  std::string arguments() const; // what differs from the defaults, as on the command line
};

// Throws InvalidInput on a real GPU, which has no model.
Modelled model_case(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                    const ModelOptions& options);

} // namespace fmha950::harness
