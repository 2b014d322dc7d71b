#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/row_lists.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/touched_bytes.hpp"

#include <algorithm>

namespace fmha950::operators {
namespace {

using namespace workload;

// Adds the rows of Q, of the pool or of the chunk.
void add_rows(const Problem& p, double total, double used, InputBytes& bytes) {
  using namespace sparse;
  const bool quantised = p.kv_type == ElementType::fp8, packed = row_format(p) == RowFormat::packed;
  const double nope = !quantised ? 2 * head_dim : packed ? head_dim : nope_columns;
  const double rope = quantised ? 2 * rope_columns : 0;
  const double scale = quantised && !packed ? 4 * (nope_columns / split_block) : 0;
  const Held rows = held(total, used, nope + rope + scale);
  for (const double of_row : {nope, rope, scale}) bytes.kept += touched(rows, rows.written, of_row);
  if (quantised) bytes.original += touched(rows, rows.used, sizeof(float) * head_dim);
  bytes.original += rows.written * sizeof(int32_t);
  bytes.copied += used * head_dim * 2;
}

} // namespace

InputBytes sparse_bytes(const Problem& p) {
  const SparseLists& lists = *sparse_lists(p);
  const ListedIds ids = listed_ids(p);
  const double q_rows = double(lists.tokens) * p.query_heads;
  const double named = static_cast<double>(ids.prefix + ids.extend);
  InputBytes bytes;
  add_rows(p, q_rows, q_rows, bytes);
  add_rows(p, lists.pool_rows, std::min<double>(lists.pool_rows, double(ids.prefix)), bytes);
  add_rows(p, lists.chunk_rows, std::min<double>(lists.chunk_rows, double(ids.extend)), bytes);
  bytes.kept += sizeof(int32_t) * (named + 2 * (lists.tokens + 1 + list_padding)) +
                (p.sink_logit ? p.query_heads * sizeof(float) : 0);
  bytes.making = 2 * sizeof(int32_t) * named; // the lists, and the rows that they name
  bytes.pairs = named;
  return bytes;
}

} // namespace fmha950::operators
