#include "interface/sparse_lists.hpp"

#include <algorithm>
#include <limits>

namespace fmha950 {

int most_listed_rows(const SparseLists& lists) {
  const auto quarter = [](int rows) { return rows / 4 + (rows % 4 != 0); };
  int64_t most = 0;
  switch (lists.kind) {
  case ListKind::dense: most = int64_t{lists.pool_rows} + lists.chunk_rows; break;
  case ListKind::sparse:
  case ListKind::empty: most = int64_t{quarter(lists.pool_rows)} + quarter(lists.chunk_rows); break;
  case ListKind::lengths:
    for (size_t t = 0; t < std::min(lists.prefix_lengths.size(), lists.extend_lengths.size()); ++t)
      most = std::max(most, int64_t{lists.prefix_lengths[t]} + lists.extend_lengths[t]);
  }
  return static_cast<int>(std::min<int64_t>(most, std::numeric_limits<int>::max()));
}

} // namespace fmha950
