// Sliding windows of append_prefill, with sink tokens and without: which old tokens are read, and in which order.
#include "harness/probe/kv_form.hpp"
#include "harness/probe/mask_case.hpp"
#include "operators/append_prefill/trials/append_form.hpp"
#include "operators/append_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

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
    whole_tiles,
    no_gap,
    gap_in_tile,
    {"new_sinks",
     "sinks that are of the chunk itself: they are taken for old tokens",
     80,
     {50, 0},
     {{400, 400}, {300, 303}, {260, 330}}},
};

Problem masked(const AppendForm& form, const MaskCase& of) {
  return with_mask(append_problem(form, of.requests), of);
}

} // namespace

std::vector<Probe> append_masks() {
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    for (const MaskCase& of : cases)
      probes.push_back(small_probe(fmt::format("append_masks/{}/{}", of.name, text_of(form)), of.reason,
                                   masked(form, of), ValuesOfPage::random));
    probes.push_back(small_probe(fmt::format("append_masks/score/{}", text_of(form)),
                                 "sink tokens taken for the sink logit, or hidden before the soft cap",
                                 scored(masked(form, cases[3])), ValuesOfPage::random));
    probes.push_back(with_poisoned_gap(
        small_probe(fmt::format("append_masks/poisoned_gap/{}", text_of(form)),
                    "the old tokens between sinks and window are NaN: a tile of them that is read shows",
                    masked(form, wide_gap), ValuesOfPage::random)));
  }
  return probes;
}

} // namespace fmha950::harness
