#pragma once
// How long a launch takes in the cycle model, estimated from lengths alone: for the key split, and for `auto` where several
// implementations support a problem. It runs nothing, so that it says the same on a GPU. What it is made of: docs/harness.md, "What `auto` chooses".

#include "attention/host/work_items.hpp"
#include "interface/problem.hpp"

#include <optional>
#include <span>
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

// Less no launch takes that reads so many bytes, K and V: once from HBM, if MALL has no room for them.
double memory_seconds(double bytes);
double memory_seconds(const Problem& problem);

// What estimates tell apart of a problem beside its lengths. Elements of 16 bits are bf16 or fp16.
struct CostForm {
  bool fp8_queries = true, fp8_keys = true;
  bool more_columns = false;  // 192 in Q and K, 128 in V; else 128
  bool page_descales = false; // of pages of a tile and more; else per tensor, or none
  bool operator==(const CostForm&) const = default;
};
// Nothing for forms that no kernel has costs for: other columns and layouts, fp8 queries over keys of 16 bits, microscaling, small
// pages with descales of their own, windows, sinks, trees and soft caps.
std::optional<CostForm> cost_form(const Problem& problem);

struct FormCosts {
  CostForm form;
  KernelCosts costs;
};
// One launch with a workgroup for each tile of rows. Nothing where the problem's form has no costs.
std::optional<double> estimated_seconds(const Problem& problem, std::span<const FormCosts> forms);

// The work of these lengths, wherever tables begin.
std::vector<Work> work_of_lengths(const Problem& problem, TileShape shape);

} // namespace fmha950::attention
