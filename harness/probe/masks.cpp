// Diagonals and windows that cut tiles at every place.
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

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

} // namespace fmha950::harness
