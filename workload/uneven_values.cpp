#include "workload/uneven_values.hpp"

namespace fmha950::workload {
namespace {

constexpr int run_of_tokens = 16;
constexpr float key_scale = 2, value_scale = 1.0F / 32;

void scale_every_second_run(std::span<float> row, int token, float scale) {
  if (token / run_of_tokens % 2 == 0) return;
  for (float& x : row) x *= scale;
}

} // namespace

void UnevenValues::query(int request, int query, int head, std::span<float> row) const {
  fill_normal(row, seed_, {Stream::query, request, query, head});
}

void UnevenValues::key(int request, int token, int kv_head, std::span<float> row) const {
  fill_normal(row, seed_, {Stream::key, request, token, kv_head});
  scale_every_second_run(row, token, key_scale);
}

void UnevenValues::value(int request, int token, int kv_head, std::span<float> row) const {
  fill_normal(row, seed_, {Stream::value, request, token, kv_head});
  scale_every_second_run(row, token, value_scale);
}

} // namespace fmha950::workload
