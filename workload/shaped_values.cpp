#include "workload/shaped_values.hpp"

#include "interface/case_text.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fmha950::workload {

namespace {

float factor_of(const std::string& text) {
  float factor = 0;
  if (case_text::read_number(text, factor, std::numeric_limits<float>::denorm_min())) return factor;
  throw InvalidInput("values", "sharp:" + text, "must be sharp:F with a positive number F, such as sharp:3");
}

int keys_of(const std::string& text) {
  int keys = 0;
  if (case_text::read_number(text, keys, 1)) return keys;
  throw InvalidInput("values", "alike:" + text,
                     "must be alike:N with a positive whole number N of keys, such as alike:64");
}

// The direction that all Q have in common: alternating signs.
float common(size_t column) { return column % 2 == 0 ? 1.0F : -1.0F; }

} // namespace

std::optional<Shape> parse_shape(const ValuesSpec& spec) {
  if (spec.source == "sharp") return Shape{.query_factor = factor_of(spec.argument)};
  if (spec.source == "mean") return Shape{.value_mean = 1};
  if (spec.source == "peak") return Shape{.peak = true};
  if (spec.source == "alike") return Shape{.alike = keys_of(spec.argument)};
  if (spec.source == "onehot") return Shape{.one_hot = true};
  if (spec.source == "flat") return Shape{.flat = true};
  return std::nullopt;
}

ShapedValues::ShapedValues(const Problem& problem, const Shape& shape) : problem_(problem), shape_(shape) {}

void ShapedValues::query(int request, int query, int head, std::span<float> row) const {
  fill_normal(row, problem_.seed, {Stream::query, request, query, head});
  for (size_t column = 0; column < row.size(); ++column) {
    row[column] *= shape_.query_factor;
    if (shape_.peak) row[column] += common(column);
  }
}

// With a mean of 1 in Q other scores have a variance of 2, and exp of them a mean of e.
void ShapedValues::key(int request, int token, int kv_head, std::span<float> row) const {
  fill_normal(row, problem_.seed, {Stream::key, request, token, kv_head});
  if (!shape_.peak) return;
  const int keys = problem_.requests[static_cast<size_t>(request)].key_length;
  if (token != keys / 2) return;
  const double score = std::log(9.0 * keys) + 1;
  const double length = score / (problem_.softmax_scale() * static_cast<double>(row.size()));
  for (size_t column = 0; column < row.size(); ++column)
    row[column] = static_cast<float>(length) * common(column);
}

void ShapedValues::value(int request, int token, int kv_head, std::span<float> row) const {
  if (shape_.one_hot) {
    std::ranges::fill(row, 0.0F);
    row[static_cast<size_t>(token) % row.size()] = 1;
    return;
  }
  fill_normal(row, problem_.seed, {Stream::value, request, token / shape_.alike, kv_head});
  if (shape_.flat) std::ranges::fill(row, row[0]);
  for (float& x : row) x += shape_.value_mean;
}

} // namespace fmha950::workload
