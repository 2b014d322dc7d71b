#pragma once
// Windows and sink tokens that small probes of several operators have: how they lie to tiles, and what a mistake would show.

#include "harness/probe/poisoned_tokens.hpp"
#include "harness/probe/probe.hpp"

#include <memory>

namespace fmha950::harness {

struct MaskCase {
  const char* name;
  const char* reason;
  int sink_tokens;
  Window window;
  std::vector<Request> requests;
};

// Tiles are of 64 keys or more, and of no more than 128 rows: the long requests have few queries, so that
// their windows leave a gap behind the sinks.
inline const MaskCase whole_tiles{"whole_tiles",
                                  "sinks that end with a tile: the next tile is not theirs",
                                  128,
                                  {63, 0},
                                  {{20, 500}, {64, 384}, {150, 900}, {2, 129}}};
inline const MaskCase no_gap{
    "no_gap",
    "sinks that reach the window's first tile or end next to it: a tile is skipped or counts twice",
    130,
    {64, 0},
    {{20, 212}, {20, 276}, {20, 340}, {20, 404}, {150, 470}}};
inline const MaskCase gap_in_tile{"gap_in_tile",
                                  "sinks and window in one tile: a key between them counts",
                                  10,
                                  {30, 0},
                                  {{20, 64}, {9, 90}, {20, 128}, {1, 45}, {60, 75}}};
// The oracle multiplies blocks of 512 keys: the whole second one is in the gap of every query.
inline const MaskCase wide_gap{"", "", 70, {100, 0}, {{20, 1200}, {5, 1130}, {70, 1500}}};

// A problem of the case's requests, with its mask.
inline Problem with_mask(Problem problem, const MaskCase& of) {
  problem.causal = of.window.right == 0;
  problem.window = of.window;
  problem.sink_tokens = of.sink_tokens;
  return problem;
}

// The same with a soft cap and a sink logit.
inline Problem scored(Problem problem) {
  problem.soft_cap = 2;
  problem.sink_logit = true;
  return problem;
}

// The same with NaN in the keys of that second block, of a probe on `wide_gap`.
inline Probe with_poisoned_gap(Probe probe) {
  probe.choices = [choices = std::move(probe.choices)] {
    operators::Choices poisoned = choices();
    poisoned.values = std::make_shared<PoisonedTokens>(std::move(poisoned.values), 512, 1024);
    return poisoned;
  };
  return probe;
}

} // namespace fmha950::harness
