// What happens to scores between the two products: soft cap, sink logits, sizes of millions.
#include "harness/probe/kv_form.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numbers>

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

namespace {

// Scores of some 2^22 (base 2), where fp32 has steps of a half, that rise by one from tile to tile: a softmax
// whose maximum is a rounded product and whose exponents are exact ones has P above 1.
constexpr int run_of_tokens = 64;
constexpr float fp8_largest = 448; // what the quantiser makes of the 1 below, so that all values are exact
constexpr float query_step = 4;

// Ones, but for the first column: all scores of a run of tokens are the same, and a little larger than those
// of the run before.
class RisingScores final : public workload::ValueSource {
 public:
  explicit RisingScores(uint64_t seed) : seed_(seed) {}
  void query(int, int, int, std::span<float> row) const override {
    std::ranges::fill(row, 1.0F);
    row[0] = query_step / fp8_largest;
  }
  void key(int, int token, int, std::span<float> row) const override {
    std::ranges::fill(row, 1.0F);
    row[0] = static_cast<float>(token / run_of_tokens) / fp8_largest;
  }
  void value(int request, int token, int kv_head, std::span<float> row) const override {
    workload::fill_normal(row, seed_, {workload::Stream::value, request, token, kv_head});
  }

 private:
  uint64_t seed_;
};

} // namespace

std::vector<Probe> large_scores() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    Problem problem = small_problem(form, {{33, 900}, {3, 70}});
    problem.scale = fp8_largest * fp8_largest / (query_step * std::numbers::log2e_v<float>);
    probes.push_back({.name = fmt::format("large_scores/{}", text_of(form)),
                      .reason = "P above the range of its format where a row's maximum was rounded down",
                      .problem = problem,
                      .choices =
                          [=] {
                            return operators::Choices{.pages = workload::assign_pages(problem),
                                                      .values = std::make_shared<RisingScores>(problem.seed),
                                                      .padding = {}};
                          },
                      .page_of_column = {},
                      .alone = {}});
  }
  return probes;
}

} // namespace fmha950::harness
