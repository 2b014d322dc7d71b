#include "workload/outlier_values.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::workload {
namespace {

// data/STATS.md section 5, medians over layers; a normal's median magnitude is 0.674 of its deviation.
constexpr float query_deviation = 0.725F / 0.674F, key_deviation = 1.04F / 0.674F,
                value_deviation = 0.43F / 0.674F;
constexpr float query_spread = 0.15F, key_spread = 0.10F; // of an outlier channel, relative to its mean
constexpr float sink_key = 0.3F, sink_value = 0.25F;
constexpr float outlier_value = 4.0F;
// How far the constant part of K lowers the score of every key but token 0, before that token's own share.
constexpr float constant_score = 13.0F;
constexpr float largest_query_mean = 12.5F;

} // namespace

OutlierValues::OutlierValues(const Problem& problem)
    : seed_(problem.seed),
      heads_per_kv_head_(std::max(1, problem.query_heads / std::max(1, problem.kv_heads))),
      heads_(problem.kv_heads) {
  const int half = problem.head_dim / 2;
  for (int h = 0; h < problem.kv_heads; ++h) {
    const auto bits = philox({0, 0, static_cast<uint32_t>(h), static_cast<uint32_t>(Stream::channel)}, seed_);
    const auto more = philox({1, 0, static_cast<uint32_t>(h), static_cast<uint32_t>(Stream::channel)}, seed_);
    Head& head = heads_[h];
    // Rotation pairs 22 to 31 of 32 carry the outliers in the recorded 64-wide heads.
    head.channels[0].column = static_cast<int>(half * (22 + 10 * uniform_from_bits(bits[0])) / 32);
    head.channels[1].column = head.channels[0].column + half;
    float sum = 0;
    for (int i = 0; i < 2; ++i) {
      const auto magnitude = static_cast<float>(8 + 6 * uniform_from_bits(bits[1 + i]));
      head.channels[i].key_mean = bits[3] >> i & 1 ? -magnitude : magnitude;
      sum += magnitude;
    }
    const float query_mean = std::min(constant_score / (problem.softmax_scale() * sum), largest_query_mean);
    for (Channel& channel : head.channels) channel.query_mean = -std::copysign(query_mean, channel.key_mean);
    for (int i = 0; i < 2; ++i) head.value_columns[i] = static_cast<int>(more[i] % problem.value_columns());
  }
}

void OutlierValues::query(int request, int query, int head, std::span<float> row) const {
  fill_normal(row, seed_, {Stream::query, request, query, head});
  const Head& shape = heads_[head / heads_per_kv_head_];
  for (const Channel& c : shape.channels)
    row[c.column] = (1 + query_spread * row[c.column]) * c.query_mean / query_deviation;
  for (float& x : row) x *= query_deviation;
}

void OutlierValues::key(int request, int token, int kv_head, std::span<float> row) const {
  fill_normal(row, seed_, {Stream::key, request, token, kv_head});
  const Head& shape = heads_[kv_head];
  for (const Channel& c : shape.channels)
    row[c.column] = (1 + key_spread * row[c.column]) * c.key_mean / key_deviation;
  const float deviation = token == 0 ? sink_key * key_deviation : key_deviation;
  for (float& x : row) x *= deviation;
}

void OutlierValues::value(int request, int token, int kv_head, std::span<float> row) const {
  fill_normal(row, seed_, {Stream::value, request, token, kv_head});
  const float deviation = token == 0 ? sink_value * value_deviation : value_deviation;
  for (float& x : row) x *= deviation;
  for (int column : heads_[kv_head].value_columns) row[column] *= outlier_value;
}

} // namespace fmha950::workload
