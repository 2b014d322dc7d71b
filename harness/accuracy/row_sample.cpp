#include "harness/accuracy/row_sample.hpp"

#include "harness/workload/philox.hpp"

#include <algorithm>

namespace fmha950::harness {

namespace {

// `count` of [0, total), ascending: 0, total - 1, and one from each of equal strides between.
std::vector<size_t> stratified(size_t total, size_t count, uint64_t seed) {
  std::vector<size_t> chosen;
  if (count >= total) {
    for (size_t i = 0; i < total; ++i) chosen.push_back(i);
    return chosen;
  }
  if (count == 0) return chosen;
  if (count == 1) return {total - 1};
  chosen.push_back(0);
  const size_t inner = total - 2, strides = count - 2;
  for (size_t s = 0; s < strides; ++s) {
    const size_t begin = 1 + inner * s / strides, end = 1 + inner * (s + 1) / strides;
    chosen.push_back(begin + workload::philox({static_cast<uint32_t>(s), 0, 0, 0}, seed)[0] % (end - begin));
  }
  chosen.push_back(total - 1);
  return chosen;
}

} // namespace

std::vector<QueryRow> all_rows(const Problem& problem) {
  std::vector<QueryRow> rows;
  rows.reserve(static_cast<size_t>(problem.total_queries()));
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r)
    for (int q = 0; q < problem.requests[static_cast<size_t>(r)].query_length; ++q) rows.push_back({r, q});
  return rows;
}

std::vector<QueryRow> sample_rows(const std::vector<QueryRow>& rows, size_t count, uint64_t seed) {
  std::vector<QueryRow> sample;
  for (const size_t index : stratified(rows.size(), count, seed)) sample.push_back(rows[index]);
  return sample;
}

std::vector<QueryRow> sample_tiles(const Problem& problem, int tile, size_t count) {
  std::vector<QueryRow> starts;
  size_t longest = 0;
  int most_keys = -1;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    for (int q = 0; q < request.query_length; q += tile) starts.push_back({r, q});
    if (request.query_length > 0 && request.key_length > most_keys) {
      most_keys = request.key_length;
      longest = starts.size() - 1;
    }
  }
  std::vector<size_t> chosen = stratified(starts.size(), count, problem.seed);
  if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), longest) == chosen.end()) {
    *std::min_element(chosen.begin(), chosen.end(), [&](size_t a, size_t b) { // the nearest gives way
      const auto distance = [&](size_t i) { return i > longest ? i - longest : longest - i; };
      return distance(a) < distance(b);
    }) = longest;
    std::sort(chosen.begin(), chosen.end());
  }
  std::vector<QueryRow> rows;
  for (const size_t index : chosen) {
    const QueryRow start = starts[index];
    const int length = problem.requests[static_cast<size_t>(start.request)].query_length;
    for (int q = start.query; q < std::min(start.query + tile, length); ++q)
      rows.push_back({start.request, q});
  }
  return rows;
}

} // namespace fmha950::harness
