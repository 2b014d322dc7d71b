// Batches of 200 requests, each of which must have the bits that it has alone.
#include "harness/probe/kv_form.hpp"
#include "operators/append_prefill/trials/append_form.hpp"
#include "operators/append_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<Probe> append_batches() {
  constexpr int requests = 200;
  std::vector<Request> all;
  for (int i = 0; i < requests; ++i) {
    const int chunk = i % 40 == 7 ? 150 : i * 7 % 23, old = i % 25 == 3 ? 1100 + i : i * 53 % 190;
    all.push_back({chunk, old + chunk});
  }
  std::vector<Probe> probes;
  for (const AppendForm& form : {AppendForm{PageTable::sglang, 16, ElementType::bf16, 128},
                                 {PageTable::vllm, 64, ElementType::fp16, 64}}) {
    Problem problem = append_problem(form, all);
    problem.batch_invariant = true;
    Probe probe = small_probe(fmt::format("append_batch_invariance/{}/requests={}", text_of(form), requests),
                              "each request alone and in batches of 2, 40 and 200 of them: sums whose order "
                              "follows from the batch",
                              problem, ValuesOfPage::random);
    probe.in_batches = true;
    probes.push_back(std::move(probe));
  }
  return probes;
}

} // namespace fmha950::harness
