#include "operators/append_prefill/rotary.hpp"

#include "interface/operator.hpp"
#include "numerics/threads.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "workload/quantise.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fmha950 {
namespace {

constexpr std::string_view pair_names[] = {"half", "interleaved"};

} // namespace

template <> std::span<const std::string_view> names_of<RotaryPairs>() { return pair_names; }

std::string RotaryEmbedding::text() const { return fmt::format("{}:{}", name_of(pairs), rotated); }

InvalidInput RotaryEmbedding::misplaced() const {
  return {"rope", text(), "must be absent, only append_prefill has a rotary embedding"};
}

std::vector<Feature> RotaryEmbedding::features(const Problem&) const {
  return {{std::string(feature::rotary), text(), fmt::format("rotary embedding {}", text())}};
}

namespace operators {

void rotate(const RotaryEmbedding& embedding, ElementType type, std::span<const float> cos_sin,
            std::span<float> row) {
  const auto pairs = static_cast<size_t>(embedding.rotated) / 2;
  for (size_t i = 0; i < pairs; ++i) {
    const bool half = embedding.pairs == RotaryPairs::half;
    float& x = row[half ? i : 2 * i];
    float& y = row[half ? i + pairs : 2 * i + 1];
    const float cosine = cos_sin[i], sine = cos_sin[pairs + i];
    const float of_y = y * sine, of_x = x * sine; // rounded by themselves
    const float turned_x = std::fma(x, cosine, -of_y), turned_y = std::fma(y, cosine, of_x);
    x = workload::round_to(type, turned_x);
    y = workload::round_to(type, turned_y);
  }
}

void rotate(const Problem& problem, const Tensors& tensors, int64_t token, std::span<float> row) {
  const RotaryEmbedding* const embedding = rotary_embedding(problem);
  if (embedding == nullptr) return;
  const AppendTensors& own = append_tensors(tensors);
  const auto position = static_cast<size_t>(own.positions.as<int32_t>()[static_cast<size_t>(token)]);
  const auto angles = static_cast<size_t>(embedding->rotated);
  rotate(*embedding, problem.query_type, own.cos_sin_cache.as<float>().subspan(position * angles, angles),
         row);
}

Tensor rotated(const Problem& problem, const Tensors& tensors, const Tensor& rows) {
  if (rows.empty()) return rows; // a call without new tokens may have no shape either
  Tensor result(rows.type(), rows.shape());
  const int64_t heads = rows.shape()[1], columns = rows.shape()[2];
  numerics::parallel_for(rows.shape()[0], [&](int64_t token) {
    std::vector<float> row(static_cast<size_t>(columns));
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t first = (token * heads + head) * columns;
      for (int64_t column = 0; column < columns; ++column)
        row[static_cast<size_t>(column)] = rows.value(first + column);
      rotate(problem, tensors, token, row);
      for (int64_t column = 0; column < columns; ++column)
        workload::store(result, first + column, row[static_cast<size_t>(column)]);
    }
  });
  return result;
}

void make_rotary_tensors(const Problem& problem, Tensors& tensors) {
  const RotaryEmbedding* const embedding = rotary_embedding(problem);
  if (embedding == nullptr) return;
  AppendTensors& own = append_tensors(tensors);
  own.positions = Tensor(ElementType::int32, {problem.total_queries()});
  auto next = own.positions.as<int32_t>().begin();
  for (const Request& request : problem.requests)
    for (int token = old_tokens(problem, request); token < request.key_length; ++token) *next++ = token;
  const int64_t positions = std::max(problem.max_key_length(), 1), pairs = embedding->rotated / 2;
  own.cos_sin_cache = Tensor(ElementType::fp32, {positions, 2 * pairs});
  const auto angles = own.cos_sin_cache.as<float>();
  constexpr double base = 10000;
  numerics::parallel_for(positions, [&](int64_t position) {
    for (int64_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(position) *
                           std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs));
      angles[static_cast<size_t>(position * 2 * pairs + i)] = static_cast<float>(std::cos(angle));
      angles[static_cast<size_t>((position * 2 + 1) * pairs + i)] = static_cast<float>(std::sin(angle));
    }
  });
}

} // namespace operators
} // namespace fmha950
