// Keys that several workgroups share: parts without keys, parts in which a row sees nothing, and parts of
// different weight.
#include "harness/probe/kv_form.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr int long_request = 1050; // impl_pipelined splits it in four
constexpr int keys_of_level = 256;

// N(0, 1), but for the first column of Q and K, which raises the scores of every 256 keys by `step` over
// those before; and V rises by 1, so that the weights of parts show.
class StepwiseScores final : public workload::ValueSource {
 public:
  StepwiseScores(const Problem& problem, float step)
      : normal_(workload::make_value_source(problem)), scale_(problem.softmax_scale()), step_(step) {}

  void query(int request, int query, int head, std::span<float> row) const override {
    normal_->query(request, query, head, row);
    row[0] = 1 / scale_;
  }
  void key(int request, int token, int kv_head, std::span<float> row) const override {
    normal_->key(request, token, kv_head, row);
    row[0] = step_ * level(token);
  }
  void value(int request, int token, int kv_head, std::span<float> row) const override {
    normal_->value(request, token, kv_head, row);
    for (float& x : row) x += level(token);
  }

 private:
  static float level(int token) {
    const int whole = token / keys_of_level;
    return static_cast<float>(whole);
  }

  std::unique_ptr<const workload::ValueSource> normal_;
  float scale_, step_;
};

Probe with_rising_scores(Probe probe, float step) {
  probe.choices = [choices = probe.choices, problem = probe.problem, step] {
    operators::Choices rising = choices();
    rising.values = std::make_shared<StepwiseScores>(problem, step);
    return rising;
  };
  return probe;
}

bool concerns(const KvForm& form) {
  return form.table == PageTable::sglang && form.layout == KvLayout::linear &&
         (form.quantisation == Quantisation::per_tensor || form.quantisation == Quantisation::page);
}

} // namespace

std::vector<Probe> key_splits() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    if (!concerns(form)) continue;
    const auto probe = [&](const char* name, const char* reason, int kv_heads,
                           std::vector<Request> requests) {
      Problem problem = small_problem(form, std::move(requests));
      problem.kv_heads = kv_heads;
      problem.query_heads = 6; // rows are no multiple of those that a workgroup joins
      return small_probe(fmt::format("key_split/{}/{}", name, text_of(form)), reason, problem,
                         ValuesOfPage::random);
    };
    const std::vector<Request> two = {{40, long_request}, {33, 750}};
    // 18 blocks of eight rows, no multiple of those that a workgroup joins.
    probes.push_back(probe("empty_part",
                           "requests of fewer tiles than parts, and one without keys, which has no weight", 1,
                           {{3, long_request}, {5, 64}, {4, 1}, {2, 0}, {7, 130}}));
    // Every head has keys of its own, so that a tile has 256 queries, more than a part has keys.
    probes.push_back(
        probe("masked_part",
              "rows that see nothing of a part, beside rows of the same tile that do, and rows that "
              "see nothing at all",
              6, {{300, 366}, {40, 30}, {40, long_request}}));
    probes.push_back(with_rising_scores(
        probe("lse_base", "parts weigh 1, e, e^2, e^3: joined in another base than their LSEs', they do not",
              2, two),
        1));
    probes.push_back(with_rising_scores(
        probe("far_apart", "scores up to 160: parts must be weighted relative to the largest LSE", 2, two),
        40));
  }
  return probes;
}

} // namespace fmha950::harness
