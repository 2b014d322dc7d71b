#include "harness/probe/sparse_values.hpp"

namespace fmha950::harness {

namespace {

constexpr uint64_t seed = 1;

} // namespace

void random_query(int token, int head, std::span<float> columns) {
  workload::fill_normal(columns, seed, {workload::Stream::query, 0, token, head});
}

void random_row(int row, std::span<float> columns) {
  workload::fill_normal(columns, seed, {workload::Stream::key, 0, row, 0});
}

} // namespace fmha950::harness
