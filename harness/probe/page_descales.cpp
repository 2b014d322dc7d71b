// KV_BLOCKSCALE descales that no mistake leaves unnoticed.
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"
#include "harness/probe/page_values.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// 1e-2 to 1e+2, the next page and the next head one power of ten on, K and V in opposite directions. What is
// stored then runs from the subnormals of e4m3 to its upper end (4.3 of the values, N(0, 1), fits 448 *
// 1e-2).
float decade(int32_t page, int head, bool is_value) {
  const int step = (page + head) % 5;
  return static_cast<float>(std::pow(10.0, is_value ? 2 - step : step - 2));
}

} // namespace

std::vector<Probe> page_descales() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    if (form.quantisation != Quantisation::kv_blockscale) continue;
    const int page = form.page_size;
    const Problem problem =
        small_problem(form, {{40, std::max(200, 4 * page - 3)}, {35, std::max(64, 2 * page)}});
    Probe probe =
        small_probe(fmt::format("page_descales/{}", text_of(form)),
                    "descales are powers of ten apart from page to page and head to head: another's shows",
                    problem, ValuesOfPage::random);
    probe.choices = [choices = probe.choices] {
      workload::Choices with_descales = choices();
      with_descales.page_descale = decade;
      return with_descales;
    };
    probes.push_back(std::move(probe));
  }
  return probes;
}

} // namespace fmha950::harness
