#include "impl_reference/attention/chunks.hpp"

#include "interface/audit.hpp"
#include "interface/error.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

size_t chunk_rows(int key_length, const ChunkSize& size) {
  constexpr size_t most = 256;
  const auto keys = static_cast<size_t>(std::max(key_length, 1));
  return std::clamp(std::max(size.scores / keys, std::min(size.rows, size.most_scores / keys)),
                    audit_limits::fewest_rows, most);
}

void require_row(const Problem& problem, const QueryRow& row) {
  const int requests = static_cast<int>(problem.requests.size());
  if (row.request < 0 || row.request >= requests)
    throw InvalidInput("row's request", fmt::format("{}", row.request),
                       fmt::format("must be 0 to {}", requests - 1));
  const int queries = problem.requests[row.request].query_length;
  if (row.query < 0 || row.query >= queries)
    throw InvalidInput(fmt::format("row's query of request {}", row.request), fmt::format("{}", row.query),
                       fmt::format("must be 0 to {}", queries - 1));
}

} // namespace

SharedKeysRule::SharedKeysRule(const Problem& problem)
    : op_(*problem.op), heads_per_kv_head_(problem.heads_per_kv_head()) {}

bool SharedKeysRule::operator()(const QueryHead& a, const QueryHead& b) const {
  return a.head / heads_per_kv_head_ == b.head / heads_per_kv_head_ &&
         op_.owner_of(a.row) == op_.owner_of(b.row);
}

std::vector<Chunk> chunks_of(const Problem& problem, const std::vector<QueryRow>& rows,
                             const ChunkSize& size) {
  std::map<std::pair<int, int>, std::vector<size_t>> by_place; // in the order of request and query
  for (size_t r = 0; r < rows.size(); ++r) {
    require_row(problem, rows[r]);
    by_place[{rows[r].request, rows[r].query}].push_back(r);
  }
  const int heads = problem.heads_per_kv_head();
  const SharedKeysRule share_keys(problem);
  std::vector<Chunk> chunks;
  for (int kv_head = 0; kv_head < problem.kv_heads; ++kv_head)
    for (const auto& [place, indices] : by_place)
      for (size_t r : indices)
        for (int head = kv_head * heads; head < (kv_head + 1) * heads; ++head) {
          const QueryHead row{rows[r], head, r * problem.query_heads + head};
          const size_t most = chunk_rows(problem.requests[place.first].key_length, size);
          if (chunks.empty() || chunks.back().size() >= most || !share_keys(chunks.back().front(), row))
            chunks.emplace_back();
          chunks.back().push_back(row);
        }
  return chunks;
}

} // namespace fmha950::reference::FMHA950_SIMD
