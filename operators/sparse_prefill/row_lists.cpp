#include "operators/sparse_prefill/row_lists.hpp"

#include "numerics/threads.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/philox.hpp"
#include "workload/table_padding.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace fmha950::operators {
namespace {

using namespace workload;

enum class Source : uint32_t { pool, chunk };

// Random numbers of one list.
class Draws {
 public:
  Draws(uint64_t seed, Source source, int token)
      : seed_(seed), source_(static_cast<uint32_t>(source)), token_(static_cast<uint32_t>(token)) {}
  int32_t below(int64_t limit) {
    const PhiloxCounter counter{drawn_++, token_, source_, static_cast<uint32_t>(Stream::row_list)};
    return static_cast<int32_t>(uint64_t{philox(counter, seed_)[0]} * static_cast<uint64_t>(limit) >> 32);
  }
  void shuffle(std::span<int32_t> rows) {
    for (size_t i = rows.size(); i > 1; --i)
      std::swap(rows[i - 1], rows[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
  }

 private:
  uint64_t seed_;
  uint32_t source_, token_, drawn_ = 0;
};

// The rows on both sides of bytes 2^31 and 2^32 of each tensor of a source, and its ends; none where no
// tensor is as large as that.
std::vector<int32_t> rows_at_offset_limits(const Problem& problem, int64_t rows) {
  std::vector<int64_t> row_bytes{sparse::head_dim * 2};
  if (problem.kv_type == ElementType::fp8) {
    const bool packed = row_format(problem) == RowFormat::packed;
    row_bytes = {packed ? sparse::head_dim : sparse::nope_columns, sparse::rope_columns * 2};
    if (!packed) row_bytes.push_back(sparse::nope_columns / sparse::split_block * 4);
  }
  std::vector<int32_t> found;
  for (const int64_t bytes : row_bytes)
    for (const int64_t limit : {int64_t{1} << 31, int64_t{1} << 32})
      if (const int64_t row = limit / bytes; row < rows)
        for (const int64_t near : {row - 1, row}) found.push_back(static_cast<int32_t>(near));
  if (found.empty()) return found;
  found.push_back(0);
  found.push_back(static_cast<int32_t>(rows - 1));
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// `length` of `rows` rows, each at most once, with as many of `wanted` as fit.
std::vector<int32_t> choose(int64_t length, int64_t rows, std::span<const int32_t> wanted, Draws& draws) {
  std::vector<int32_t> chosen;
  if (length > rows / 2) { // too many of them to draw until they differ
    chosen.resize(static_cast<size_t>(rows));
    std::iota(chosen.begin(), chosen.end(), 0);
    draws.shuffle(chosen);
    chosen.resize(static_cast<size_t>(length));
    return chosen;
  }
  chosen.assign(wanted.begin(), wanted.begin() + std::min<int64_t>(length, std::ssize(wanted)));
  std::unordered_set<int32_t> seen(chosen.begin(), chosen.end());
  while (std::ssize(chosen) < length)
    if (const int32_t row = draws.below(rows); seen.insert(row).second) chosen.push_back(row);
  draws.shuffle(chosen);
  return chosen;
}

int64_t length_of(const SparseLists& lists, Source source, int token, int rows, Draws& draws) {
  const bool pool = source == Source::pool;
  switch (lists.kind) {
  case ListKind::dense: return rows;
  case ListKind::lengths:
    return (pool ? lists.prefix_lengths : lists.extend_lengths)[static_cast<size_t>(token)];
  case ListKind::empty:
    if (token % 4 == 0 || token % 4 == (pool ? 1 : 2)) return 0;
    break;
  case ListKind::sparse: break;
  }
  return draws.below(int64_t{most_listed(lists.kind, rows)} + 1);
}

int64_t ids_of(const Problem& problem, Source source, int rows) {
  int64_t ids = 0;
  for (int token = 0; token < sparse_lists(problem)->tokens; ++token) {
    Draws draws(problem.seed, source, token);
    ids += length_of(*sparse_lists(problem), source, token, rows, draws);
  }
  return ids;
}

RowLists make_lists(const Problem& problem, Source source, int rows) {
  const SparseLists& lists = *sparse_lists(problem);
  const std::vector<int32_t> wanted = rows_at_offset_limits(problem, rows);
  RowLists made;
  made.of_token.resize(static_cast<size_t>(lists.tokens));
  numerics::parallel_for(lists.tokens, [&](int64_t t) {
    const int token = static_cast<int>(t);
    Draws draws(problem.seed, source, token);
    std::vector<int32_t>& list = made.of_token[static_cast<size_t>(t)];
    for (int64_t left = length_of(lists, source, token, rows, draws); left > 0;) {
      const std::vector<int32_t> once = choose(std::min<int64_t>(left, rows), rows, wanted, draws);
      list.insert(list.end(), once.begin(), once.end());
      left -= std::ssize(once);
    }
  });
  return made;
}

} // namespace

RowLists make_prefix_lists(const Problem& problem) {
  return make_lists(problem, Source::pool, sparse_lists(problem)->pool_rows);
}

RowLists make_extend_lists(const Problem& problem) {
  return make_lists(problem, Source::chunk, sparse_lists(problem)->chunk_rows);
}

ListedIds listed_ids(const Problem& problem) {
  return {ids_of(problem, Source::pool, sparse_lists(problem)->pool_rows),
          ids_of(problem, Source::chunk, sparse_lists(problem)->chunk_rows)};
}

void write_lists(const RowLists& lists, int64_t rows, int padding, Tensor& indptr, Tensor& indices) {
  indptr = Tensor(ElementType::int32, {std::ssize(lists.of_token) + 1});
  auto ends = indptr.as<int32_t>();
  for (size_t t = 0; t < lists.of_token.size(); ++t)
    ends[t + 1] = ends[t] + static_cast<int32_t>(lists.of_token[t].size());
  indices = Tensor(ElementType::int32, {ends.back() + padding});
  auto next = indices.as<int32_t>().begin();
  for (const auto& list : lists.of_token) next = std::ranges::copy(list, next).out;
  for (int i = 0; i < padding; ++i) *next++ = out_of_range(rows, static_cast<size_t>(i));
}

} // namespace fmha950::operators
