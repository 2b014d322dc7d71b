// Page descales that no mistake leaves unnoticed.
#include "harness/probe/kv_form.hpp"
#include "harness/probe/page_values.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace fmha950::harness {

namespace {

// 1e-2 to 1e+2, the next page and the next head one power of ten on, K and V in opposite directions.
// What is stored then runs from the subnormals of e4m3 to its upper end
// (4.3 of the values, N(0, 1), fits 448 * 1e-2).
float decade(int32_t page, int head, bool is_value) {
  const int step = (page + head) % 5;
  return static_cast<float>(std::pow(10.0, is_value ? 2 - step : step - 2));
}

Probe decades(const KvForm& form) {
  const int page = form.page_size;
  const Problem problem =
      small_problem(form, {{40, std::max(200, 4 * page - 3)}, {35, std::max(64, 2 * page)}});
  Probe probe =
      small_probe(fmt::format("page_descales/{}", text_of(form)),
                  "descales are powers of ten apart from page to page and head to head: another's shows",
                  problem, ValuesOfPage::random);
  probe.choices = [choices = probe.choices] {
    operators::Choices with_descales = choices();
    with_descales.page_descale = decade;
    return with_descales;
  };
  return probe;
}

class LargeValues final : public workload::ValueSource {
 public:
  explicit LargeValues(std::shared_ptr<const ValueSource> ordinary) : ordinary_(std::move(ordinary)) {}
  void query(int request, int query, int head, std::span<float> row) const override {
    ordinary_->query(request, query, head, row);
  }
  void key(int request, int token, int kv_head, std::span<float> row) const override {
    ordinary_->key(request, token, kv_head, row);
  }
  void value(int request, int token, int kv_head, std::span<float> row) const override {
    ordinary_->value(request, token, kv_head, row);
    for (float& x : row) x *= 0x1p20f;
  }

 private:
  std::shared_ptr<const ValueSource> ordinary_;
};

Probe large_values(const KvForm& form) {
  // Because of the diagonal, some queries see no key of their last tile, while their neighbours do.
  Probe probe = small_probe(fmt::format("page_descales/large_values/{}", text_of(form)),
                            "V of 10^6: what is accumulated overflows where it is rescaled for a tile of "
                            "which the query sees nothing",
                            small_problem(form, {{70, 197}}), ValuesOfPage::random);
  probe.choices = [choices = probe.choices] {
    operators::Choices with_values = choices();
    with_values.values = std::make_shared<LargeValues>(with_values.values);
    return with_values;
  };
  return probe;
}

} // namespace

std::vector<Probe> page_descales() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    if (form.quantisation != Quantisation::page) continue;
    probes.push_back(decades(form));
    if (form.queries != ElementType::fp16) probes.push_back(large_values(form)); // fp16 has no 10^6
  }
  return probes;
}

} // namespace fmha950::harness
