// Diagonals and windows that cut tiles at every place, alone and beside sink tokens.
#include "harness/probe/kv_form.hpp"
#include "harness/probe/mask_case.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<Probe> masks() {
  std::vector<Probe> probes;
  // With 70 queries the diagonal begins before the first key, on it, and on and off boundaries of 64 keys;
  // in the first request some queries see nothing, in the second one key.
  const std::vector<Request> requests = {{70, 63}, {70, 70}, {70, 71}, {70, 128}, {70, 133}, {70, 197}};
  for (const KvForm& form : kv_forms()) {
    const Problem causal = small_problem(form, requests);
    probes.push_back(small_probe(fmt::format("mask/causal/{}", text_of(form)),
                                 "a key past the diagonal of any tile counts, or a query that sees nothing "
                                 "is not 0",
                                 causal, ValuesOfPage::random));
    Problem left = causal;
    left.window = Window{37, 0};
    probes.push_back(small_probe(fmt::format("mask/left/{}", text_of(form)),
                                 "a key before the window of any tile counts", left, ValuesOfPage::random));
    Problem both = causal;
    both.causal = false;
    both.window = Window{70, 9};
    probes.push_back(small_probe(fmt::format("mask/both/{}", text_of(form)),
                                 "a key outside a window to both sides counts", both, ValuesOfPage::random));
  }
  return probes;
}

namespace {

const std::vector<MaskCase> cases = {
    {"short_window",
     "windows shorter than a tile, on and off its boundaries: a key of the wrong tile counts, or the "
     "window's "
     "first keys do not",
     4,
     {20, 0},
     {{70, 700}, {1, 257}, {33, 288}, {16, 400}, {0, 90}, {5, 0}, {8, 12}}},
    {"odd_sinks",
     "sinks that end within a tile, also past the diagonal of the first queries, which must not see them",
     70,
     {100, 9},
     {{70, 63}, {70, 70}, {20, 700}, {130, 471}, {3, 0}, {40, 1100}}},
    whole_tiles,
    no_gap,
    gap_in_tile,
    {"beyond_keys",
     "more sinks than keys: every key up to the diagonal is seen, no unused slot and no key past it",
     1000,
     {10, 0},
     {{70, 63}, {70, 70}, {40, 197}, {5, 0}, {3, 513}}},
};

Problem with_sinks(const KvForm& form, const MaskCase& of) {
  return with_mask(small_problem(form, of.requests), of);
}

} // namespace

std::vector<Probe> sink_tokens() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    if (form.quantisation == Quantisation::mx) continue; // no implementation takes both
    for (const MaskCase& of : cases)
      probes.push_back(small_probe(fmt::format("sink/{}/{}", of.name, text_of(form)), of.reason,
                                   with_sinks(form, of), ValuesOfPage::random));
    probes.push_back(small_probe(fmt::format("sink/score/{}", text_of(form)),
                                 "sink tokens taken for the sink logit, or hidden before the soft cap",
                                 scored(with_sinks(form, cases[1])), ValuesOfPage::random));
    probes.push_back(with_poisoned_gap(
        small_probe(fmt::format("sink/poisoned_gap/{}", text_of(form)),
                    "the keys between sinks and window are NaN: a tile of them that is loaded shows",
                    with_sinks(form, wide_gap), ValuesOfPage::random)));
  }
  return probes;
}

} // namespace fmha950::harness
