// What happens to scores of append_prefill, where keys come from two places.
#include "harness/probe/append_form.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<Probe> append_scores() {
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    Problem whole = append_problem(form, {{70, 70}, {20, 83}, {70, 197}});
    whole.causal = false;
    probes.push_back(small_probe(fmt::format("append_scores/whole/{}", text_of(form)),
                                 "keys past the end of the chunk count, or its last ones do not", whole,
                                 ValuesOfPage::random));
    Problem bent = append_problem(form, {{70, 133}, {5, 8}, {33, 261}});
    bent.soft_cap = 2; // scores of random values are about N(0, 1): the cap bends most of them
    bent.sink_logit = true;
    probes.push_back(small_probe(fmt::format("append_scores/cap_and_sink/{}", text_of(form)),
                                 "keys hidden before the cap, a key past the diagonal, or a sink in the "
                                 "wrong base",
                                 bent, ValuesOfPage::random));
  }
  return probes;
}

} // namespace fmha950::harness
