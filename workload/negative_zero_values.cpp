#include "workload/negative_zero_values.hpp"

#include <cmath>

namespace fmha950::workload {
namespace {

constexpr float least_magnitude = 0.25F;
constexpr int query_step = 8, token_step = 16;

void fill(std::span<float> row, uint64_t seed, RowCounter where, bool whole_row) {
  fill_normal(row, seed, where);
  for (float& x : row)
    if (whole_row || std::abs(x) < least_magnitude) x = -0.0F;
}

} // namespace

void NegativeZeroValues::query(int request, int query, int head, std::span<float> row) const {
  fill(row, seed_, {Stream::query, request, query, head}, query % query_step == 3);
}

void NegativeZeroValues::key(int request, int token, int kv_head, std::span<float> row) const {
  fill(row, seed_, {Stream::key, request, token, kv_head}, token % token_step == 5);
}

void NegativeZeroValues::value(int request, int token, int kv_head, std::span<float> row) const {
  fill(row, seed_, {Stream::value, request, token, kv_head}, token % token_step == 6);
}

} // namespace fmha950::workload
