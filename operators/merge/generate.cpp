#include "operators/merge/generate.hpp"

#include "numerics/threads.hpp"
#include "operators/merge/definition.hpp"
#include "operators/merge/merge_tensors.hpp"
#include "workload/poison.hpp"
#include "workload/quantise.hpp"
#include "workload/value_source.hpp"

#include <cstring>
#include <limits>
#include <memory>
#include <numbers>

namespace fmha950::operators {
namespace {

using namespace workload;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float usual_lse = 6.931472f; // of 1,024 keys whose scores are all 0

// Natural, for a row.
void fill_lses(const Problem& p, int token, int head, std::span<float> lses) {
  const MergeForm& form = *merge_form(p);
  fill_normal(lses, p.seed, {Stream::query, 0, token, head});
  std::vector<float> draws(lses.size());
  fill_normal(draws, p.seed, {Stream::row_list, 0, token, head});
  for (size_t part = 0; part < draws.size(); ++part) {
    lses[part] = usual_lse + form.spread * lses[part];
    const double uniform = 0.5 * std::erfc(-draws[part] / std::numbers::sqrt2); // in (0, 1)
    if (100 * uniform < form.empty_percent) lses[part] = part % 2 == 0 ? -infinity : infinity;
  }
}

} // namespace

Tensors make_merge_tensors(const Problem& p, const PartSource& source) {
  const MergeForm& form = *merge_form(p);
  const auto parts = static_cast<size_t>(form.parts);
  const int64_t tokens = p.total_queries(), columns = p.head_dim;
  Tensors tensors;
  MergeTensors& t = merge_tensors(tensors);
  t.partial_output = Tensor(p.kv_type, shape_of_outputs(p));
  t.partial_lse = Tensor(ElementType::fp32, shape_of_lses(p));
  const PartStrides of_output = output_strides(p), of_lse = lse_strides(p);
  const auto row_bytes = static_cast<size_t>(columns * element_bytes(p.kv_type));
  const float unit = form.base == LseBase::two ? std::numbers::log2e_v<float> : 1;
  numerics::parallel_for(tokens, [&](int64_t of_token) {
    const auto token = static_cast<int>(of_token);
    std::vector<float> row(static_cast<size_t>(columns)), lses(parts);
    for (int head = 0; head < p.query_heads; ++head) {
      source.lses(token, head, lses);
      for (int part = 0; part < form.parts; ++part) {
        const float lse = lses[static_cast<size_t>(part)];
        t.partial_lse.as<float>()[static_cast<size_t>(of_lse.at(part, token, head))] = unit * lse;
        const int64_t place = of_output.at(part, token, head);
        if (is_empty_part(lse)) {
          std::memset(t.partial_output.data() + static_cast<size_t>(place) * row_bytes,
                      std::to_integer<int>(poison), row_bytes);
          continue;
        }
        source.output(part, token, head, row);
        for (int64_t column = 0; column < columns; ++column)
          store(t.partial_output, place * columns + column, row[static_cast<size_t>(column)]);
      }
    }
  });
  return tensors;
}

PartSource part_source(const Problem& p) {
  const std::shared_ptr<const ValueSource> values = make_value_source(p);
  const int64_t tokens = p.total_queries();
  return {[p](int token, int head, std::span<float> lses) { fill_lses(p, token, head, lses); },
          [=](int part, int token, int head, std::span<float> columns) {
            values->value(0, static_cast<int>(part * tokens + token), head, columns);
          }};
}

} // namespace fmha950::operators
