#include "operators/sparse_prefill/sparse_lists.hpp"

#include <algorithm>
#include <limits>

namespace fmha950 {
namespace {

constexpr std::string_view list_kinds[] = {"sparse", "dense", "empty", "lengths"};
constexpr std::string_view row_formats[] = {"split", "packed"};

} // namespace

template <> std::span<const std::string_view> names_of<ListKind>() { return list_kinds; }
template <> std::span<const std::string_view> names_of<RowFormat>() { return row_formats; }

InvalidInput SparseLists::misplaced() const {
  if (format != RowFormat::split)
    return {"format", std::string(name_of(format)),
            "must be absent, only sparse_prefill has formats of rows"};
  return {"lists", std::string(name_of(kind)), "must be absent, only sparse_prefill has lists of rows"};
}

std::vector<Feature> SparseLists::features(const Problem& problem) const {
  if (problem.kv_type != ElementType::fp8) return {};
  const std::string name(name_of(format));
  return {{std::string(feature::row_format), name, name + " rows"}};
}

int most_listed(ListKind kind, int rows) {
  return kind == ListKind::dense ? rows : rows / 4 + (rows % 4 != 0);
}

int most_listed_rows(const SparseLists& lists) {
  int64_t most = 0;
  if (lists.kind != ListKind::lengths)
    most = int64_t{most_listed(lists.kind, lists.pool_rows)} + most_listed(lists.kind, lists.chunk_rows);
  else
    for (size_t t = 0; t < std::min(lists.prefix_lengths.size(), lists.extend_lengths.size()); ++t)
      most = std::max(most, int64_t{lists.prefix_lengths[t]} + lists.extend_lengths[t]);
  return static_cast<int>(std::min<int64_t>(most, std::numeric_limits<int>::max()));
}

} // namespace fmha950
