// Sliding windows of append_prefill, with sink tokens and without: which old tokens are read, and in which order.
#include "harness/probe/kv_form.hpp"
#include "harness/probe/poisoned_tokens.hpp"
#include "operators/append_prefill/trials/append_form.hpp"
#include "operators/append_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

struct MaskCase {
  const char* name;
  const char* reason;
  int sink_tokens;
  Window window;
  std::vector<Request> requests;
};

const std::vector<MaskCase> cases = {
    {"window",
     "a key before the window of any tile counts, of old tokens, of the chunk and where a tile has both",
     0,
     {37, 0},
     {{70, 70}, {70, 71}, {70, 133}, {70, 197}, {5, 700}}},
    {"both_sides",
     "a key outside a window to both sides counts",
     0,
     {70, 9},
     {{70, 90}, {33, 300}, {130, 471}}},
    {"short_window",
     "windows shorter than a tile, on and off its boundaries, behind sinks: a key of the wrong tile counts, "
     "or "
     "the window's first keys do not",
     4,
     {20, 0},
     {{70, 700}, {1, 257}, {33, 288}, {16, 400}, {8, 12}}},
    {"odd_sinks",
     "sinks that end within a tile, also past the diagonal of the first queries, which must not see them",
     70,
     {100, 9},
     {{70, 70}, {20, 700}, {130, 471}, {40, 1100}}},
    {"whole_tiles",
     "sinks that end with a tile: the next tile is not theirs",
     128,
     {63, 0},
     {{20, 500}, {64, 384}, {150, 900}, {2, 129}}},
    {"no_gap",
     "sinks that reach the window's first tile or end next to it: a tile is skipped or counts twice",
     130,
     {64, 0},
     {{20, 212}, {20, 276}, {20, 340}, {20, 404}, {150, 470}}},
    {"gap_in_tile",
     "sinks and window in one tile: a key between them counts",
     10,
     {30, 0},
     {{20, 64}, {9, 90}, {20, 128}, {1, 45}, {60, 75}}},
    {"new_sinks",
     "sinks that are of the chunk itself: they are taken for old tokens",
     80,
     {50, 0},
     {{400, 400}, {300, 303}, {260, 330}}},
};

Problem masked(const AppendForm& form, const MaskCase& of) {
  Problem problem = append_problem(form, of.requests);
  problem.causal = of.window.right == 0;
  problem.window = of.window;
  problem.sink_tokens = of.sink_tokens;
  return problem;
}

} // namespace

std::vector<Probe> append_masks() {
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    for (const MaskCase& of : cases)
      probes.push_back(small_probe(fmt::format("append_masks/{}/{}", of.name, text_of(form)), of.reason,
                                   masked(form, of), ValuesOfPage::random));
    Problem scored = masked(form, cases[3]);
    scored.soft_cap = 2;
    scored.sink_logit = true;
    probes.push_back(small_probe(fmt::format("append_masks/score/{}", text_of(form)),
                                 "sink tokens taken for the sink logit, or hidden before the soft cap",
                                 scored, ValuesOfPage::random));
    // The oracle multiplies blocks of 512 keys: the whole second one is in the gap of every query.
    const Problem gap = masked(form, {"", "", 70, {100, 0}, {{20, 1200}, {5, 1130}, {70, 1500}}});
    Probe probe =
        small_probe(fmt::format("append_masks/poisoned_gap/{}", text_of(form)),
                    "the old tokens between sinks and window are NaN: a tile of them that is read shows", gap,
                    ValuesOfPage::random);
    probe.choices = [choices = std::move(probe.choices)] {
      operators::Choices poisoned = choices();
      poisoned.values = std::make_shared<PoisonedTokens>(std::move(poisoned.values), 512, 1024);
      return poisoned;
    };
    probes.push_back(std::move(probe));
  }
  return probes;
}

} // namespace fmha950::harness
