// Scores and values of append_prefill: keys come from two places, and the chunk's may be larger than what the
// cache's scale was made for.
#include "harness/probe/kv_form.hpp"
#include "operators/append_prefill/trials/append_form.hpp"
#include "operators/append_prefill/trials/trials.hpp"

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

namespace {

// K and V grow a hundredfold where the chunk begins; Q is as much smaller, so that more than one key counts.
class GrowingValues final : public workload::ValueSource {
 public:
  explicit GrowingValues(const Problem& problem)
      : requests_(problem.requests), source_(workload::make_value_source(problem)) {}
  void query(int request, int query, int head, std::span<float> row) const override {
    source_->query(request, query, head, row);
    for (float& x : row) x *= 0.01F;
  }
  void key(int request, int token, int kv_head, std::span<float> row) const override {
    source_->key(request, token, kv_head, row);
    for (float& x : row) x *= factor(request, token);
  }
  void value(int request, int token, int kv_head, std::span<float> row) const override {
    source_->value(request, token, kv_head, row);
    for (float& x : row) x *= factor(request, token);
  }

 private:
  float factor(int request, int token) const {
    if (request < 0) return 1; // a page that no request names
    const Request& of = requests_[static_cast<size_t>(request)];
    return token < of.key_length - of.query_length ? 1.0F : 100.0F;
  }

  std::vector<Request> requests_;
  std::unique_ptr<workload::ValueSource> source_;
};

} // namespace

std::vector<Probe> append_values() {
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    const Problem problem = append_problem(form, {{20, 150}, {70, 71}});
    probes.push_back(
        {.name = fmt::format("append_values/{}", text_of(form)),
         .reason = "values of the chunk beyond 448 times the scale: NaN instead of 448 in the cache, or "
                   "attention to what the cache holds of them",
         .problem = problem,
         .choices =
             [=] {
               return operators::Choices{.pages = workload::assign_pages(problem),
                                         .values = std::make_shared<GrowingValues>(problem),
                                         .padding = {}};
             },
         .page_of_column = {},
         .alone = {}});
  }
  return probes;
}

} // namespace fmha950::harness
