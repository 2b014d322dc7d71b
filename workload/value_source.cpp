#include "workload/value_source.hpp"

#include "interface/error.hpp"
#include "workload/activation_values.hpp"
#include "workload/count_values.hpp"
#include "workload/negative_zero_values.hpp"
#include "workload/outlier_values.hpp"
#include "workload/shaped_values.hpp"
#include "workload/uneven_values.hpp"

namespace fmha950::workload {
namespace {

class NormalValues : public ValueSource {
 public:
  explicit NormalValues(uint64_t seed) : seed_(seed) {}
  void query(int request, int query, int head, std::span<float> row) const override {
    fill_normal(row, seed_, {Stream::query, request, query, head});
  }
  void key(int request, int token, int kv_head, std::span<float> row) const override {
    fill_normal(row, seed_, {Stream::key, request, token, kv_head});
  }
  void value(int request, int token, int kv_head, std::span<float> row) const override {
    fill_normal(row, seed_, {Stream::value, request, token, kv_head});
  }

 private:
  uint64_t seed_;
};

} // namespace

ValuesSpec parse_values(const std::string& values) {
  constexpr std::string_view suffix = "+pow2", recorded = "activations:", counting = "count:",
                             sharp = "sharp:", alike = "alike:";
  ValuesSpec spec{.source = values, .argument = {}, .power_of_two_descales = values.ends_with(suffix)};
  if (spec.power_of_two_descales) spec.source.resize(values.size() - suffix.size());
  for (const std::string_view prefix : {recorded, counting, sharp, alike})
    if (spec.source.starts_with(prefix) && spec.source.size() > prefix.size()) {
      spec.argument = spec.source.substr(prefix.size());
      spec.source = prefix.substr(0, prefix.size() - 1);
    }
  const bool known = spec.source == "normal" || spec.source == "outlier" || spec.source == "negative_zero" ||
                     spec.source == "uneven" || spec.source == "count" || spec.source == "mean" ||
                     spec.source == "peak" || spec.source == "onehot" || spec.source == "flat";
  if (known || !spec.argument.empty()) return spec;
  throw InvalidInput("values", values,
                     "must be normal, outlier, negative_zero, uneven, sharp:F, mean, peak, alike:N, onehot, "
                     "flat, count, count:KEY or activations:LAYER, each with +pow2 or without");
}

std::unique_ptr<ValueSource> make_value_source(const Problem& problem) {
  const ValuesSpec spec = parse_values(problem.values);
  if (spec.source == "normal") return std::make_unique<NormalValues>(problem.seed);
  if (spec.source == "negative_zero") return std::make_unique<NegativeZeroValues>(problem.seed);
  if (spec.source == "uneven") return std::make_unique<UnevenValues>(problem.seed);
  if (spec.source == "outlier") return std::make_unique<OutlierValues>(problem);
  if (spec.source == "count")
    return std::make_unique<CountValues>(problem.seed, counted_key(problem.values, spec.argument));
  if (const auto shape = parse_shape(spec)) return std::make_unique<ShapedValues>(problem, *shape);
  return std::make_unique<ActivationValues>(problem, spec.argument);
}

void fill_normal(std::span<float> row, uint64_t seed, RowCounter where) {
  const auto head = static_cast<uint32_t>(where.head) << 16;
  for (size_t column = 0; column < row.size(); column += 4) {
    const auto bits = philox({static_cast<uint32_t>(where.position), static_cast<uint32_t>(where.request),
                              head | static_cast<uint32_t>(column / 4), static_cast<uint32_t>(where.stream)},
                             seed);
    for (size_t i = 0; i < 4 && column + i < row.size(); ++i) row[column + i] = normal_from_bits(bits[i]);
  }
}

} // namespace fmha950::workload
