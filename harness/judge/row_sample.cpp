#include "harness/judge/row_sample.hpp"

#include "workload/philox.hpp"

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

// `wanted` and as many others of [0, total) as make `count`, ascending.
std::vector<size_t> with_others(size_t total, std::vector<size_t> wanted, size_t count, uint64_t seed) {
  std::ranges::sort(wanted);
  std::vector<size_t> others;
  for (size_t i = 0; i < total; ++i)
    if (!std::ranges::binary_search(wanted, i)) others.push_back(i);
  for (const size_t index : stratified(others.size(), count - wanted.size(), seed))
    wanted.push_back(others[index]);
  std::ranges::sort(wanted);
  return wanted;
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
  std::vector<size_t> ends;
  for (size_t i = 0; i < rows.size(); ++i)
    if (i + 1 == rows.size() || rows[i + 1].request != rows[i].request) ends.push_back(i);
  std::vector<size_t> wanted;
  for (const size_t index : stratified(ends.size(), count, seed)) wanted.push_back(ends[index]);
  std::vector<QueryRow> sample;
  for (const size_t index : with_others(rows.size(), std::move(wanted), count, seed))
    sample.push_back(rows[index]);
  return sample;
}

int64_t tiles_of(const Problem& problem, int tile) {
  int64_t tiles = 0;
  for (const Request& request : problem.requests) tiles += (request.query_length + tile - 1) / tile;
  return tiles;
}

std::vector<QueryRow> sample_tiles(const Problem& problem, int tile, size_t count) {
  const auto length = [&](const QueryRow& row) {
    return problem.requests[static_cast<size_t>(row.request)].query_length;
  };
  std::vector<QueryRow> starts;
  std::vector<size_t> ends; // last tiles of requests
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    for (int q = 0; q < length({r, 0}); q += tile) starts.push_back({r, q});
    if (length({r, 0}) > 0) ends.push_back(starts.size() - 1);
  }
  const auto keys = [&](size_t end) {
    return problem.requests[static_cast<size_t>(starts[end].request)].key_length;
  };
  std::ranges::sort(ends,
                    [&](size_t a, size_t b) { return std::pair(-keys(a), a) < std::pair(-keys(b), b); });
  ends.resize(std::min(ends.size(), count));
  std::vector<QueryRow> rows;
  for (const size_t index : with_others(starts.size(), std::move(ends), count, problem.seed)) {
    const QueryRow start = starts[index];
    for (int q = start.query; q < std::min(start.query + tile, length(start)); ++q)
      rows.push_back({start.request, q});
  }
  return rows;
}

} // namespace fmha950::harness
