// What happens to scores between the two products: soft cap and sink logits.
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<Probe> scores() {
  std::vector<Probe> probes;
  // Queries that see nothing, few keys, whose sink weighs as much as they do, and several tiles.
  const std::vector<Request> requests = {{20, 12}, {5, 3}, {40, 70}, {33, 197}, {4, 0}};
  for (const KvForm& form : kv_forms()) {
    Problem capped = small_problem(form, requests);
    capped.soft_cap = 2; // scores of random values are about N(0, 1): the cap bends most of them
    probes.push_back(small_probe(fmt::format("score/soft_cap/{}", text_of(form)),
                                 "scores that are not capped, or keys hidden before the cap", capped,
                                 ValuesOfPage::random));
    Problem sinks = small_problem(form, requests);
    sinks.sink_logit = true;
    probes.push_back(small_probe(fmt::format("score/sink_logit/{}", text_of(form)),
                                 "a sink that is scaled, in the wrong base, or missing from output or LSE",
                                 sinks, ValuesOfPage::random));
    Problem both = capped;
    both.sink_logit = true;
    probes.push_back(small_probe(fmt::format("score/both/{}", text_of(form)), "a sink that is capped", both,
                                 ValuesOfPage::random));
  }
  return probes;
}

} // namespace fmha950::harness
