// Batches of 200 requests, each of which must have the bits that it has alone.
#include "harness/probe/kv_form.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr const char* reason = "each request alone and in batches of 2, 40 and 200 of them: a key split, a "
                               "kernel or an order of sums that "
                               "follows from the batch";

Probe probe_of(const char* name, const KvForm& form, Problem problem) {
  problem.batch_invariant = true;
  // Named so that no family of small probes waits for it (families.cpp).
  Probe probe = small_probe(
      fmt::format("batch_invariance/{}/{}/requests={}", name, text_of(form), problem.requests.size()), reason,
      problem, ValuesOfPage::random);
  probe.in_batches = true;
  return probe;
}

// Most requests are short. Some have keys for two parts (impl_pipelined) and more, some would have if a batch were split as a
// whole; some have several tiles of rows.
std::vector<Request> requests_of_batches() {
  constexpr int requests = 200;
  std::vector<Request> all;
  for (int i = 0; i < requests; ++i) switch (i % 25) {
    case 3: all.push_back({1 + i % 3, 2048 + 7 * i}); break;
    case 11: all.push_back({1 + i % 3, 600 + 5 * i}); break;
    case 19: all.push_back({140 + i, 150 + 2 * i}); break;
    default: all.push_back({i * 7 % 23, i * 53 % 190}); break;
    }
  return all;
}

} // namespace

std::vector<Probe> batches() {
  using enum Quantisation;
  using enum PageTable;
  using enum KvLayout;
  const std::vector<Request> requests = requests_of_batches();
  std::vector<Probe> probes;
  for (const KvForm& form :
       {KvForm{sglang, linear, 16, per_tensor},
        {vllm, linear, 64, page},
        {sglang, linear, 64, mx},
        {vllm, vectorized, 16, none},
        KvForm{.table = vllm, .layout = linear, .page_size = 32, .quantisation = mx, .mxfp4 = true}})
    probes.push_back(probe_of("mask", form, small_problem(form, requests)));
  const KvForm bf16 = {sglang, linear, 16, none}, fp8 = {sglang, linear, 64, per_tensor};
  Problem windowed = small_problem(bf16, requests);
  windowed.window = {100, 0};
  windowed.sink_tokens = 1000; // more than most requests have keys
  probes.push_back(probe_of("window", bf16, windowed));
  Problem consecutive = small_problem(fp8, requests);
  consecutive.paged = false;
  probes.push_back(probe_of("contiguous", fp8, consecutive));
  return probes;
}

} // namespace fmha950::harness
