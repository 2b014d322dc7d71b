#pragma once
// How long a launch takes in the cycle model, estimated from lengths alone: for the key split, and for `auto` where several
// implementations support a problem. It runs nothing, so that it says the same on a GPU. What it is made of: docs/harness.md, "What `auto` chooses".

#include "attention/host/work_items.hpp"
#include "interface/problem.hpp"

#include <optional>
#include <vector>

namespace fmha950::attention {

// From a workgroup none of whose waves has rows to one all of whose waves have.
struct ByRows {
  double none, all;
  double at(double share) const { return none + (all - none) * share; }
};

// Of a kernel, fitted to what the cycle model says of it (tests/implementations/cost_estimate_test.cpp).
struct KernelCosts {
  TileShape shape;
  ByRows start; // clocks of a workgroup beside those of its tiles of keys
  ByRows tile;  // clocks of a tile of keys
  ByRows
      energy; // of a tile: nanoseconds of a compute unit, by the law of the clock. As much again of a workgroup's start.
  int resident = 1;   // workgroups that a compute unit has room for
  double sharing = 1; // by which each takes longer where they share it
};

// Of a clock of the GPU in which nothing is done: harness/perf/clock_law.hpp, which a test compares it with.
inline constexpr double idle_nanoseconds = 0.145;

// Dispatch included. Each workgroup goes to the place that is free first, the longest first. The time is that of its clocks at
// the highest clock, or that of its energy if it is longer.
double launch_seconds(const std::vector<Work>& work, int heads_per_kv_head, const KernelCosts& costs);
// Of one whose clocks are known.
double launch_seconds(double clocks);

// Less no launch takes: K and V once from HBM, if MALL has no room for them.
double memory_seconds(const Problem& problem);

// Of kernels for descales per tensor, or none, and for those of pages.
struct FormCosts {
  KernelCosts tensor, page;
  const KernelCosts& of(const Problem& problem) const {
    return problem.quantisation == Quantisation::page ? page : tensor;
  }
};

// One launch with a workgroup for each tile of rows. Nothing where there is no estimate.
std::optional<double> estimated_seconds(const Problem& problem, const FormCosts& costs);

// The work of these lengths, wherever tables begin.
std::vector<Work> work_of_lengths(const Problem& problem, TileShape shape);

// Whether KernelCosts are fitted to problems of this form: FP8 throughout, head_dim 128, LINEAR, descales per tensor or of pages of a
// tile and more, neither windows nor sinks nor soft cap.
bool has_estimate(const Problem& problem);

} // namespace fmha950::attention
