#include "operators/sparse_prefill/generate.hpp"

#include "interface/error.hpp"
#include "operators/sparse_prefill/row_writer.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/sink_logits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace fmha950::operators {
namespace {

using namespace workload;

void check_lists(const char* name, const RowLists& lists, int tokens, int rows) {
  if (std::ssize(lists.of_token) != tokens)
    throw InvalidInput(name, fmt::format("lists of {} tokens", lists.of_token.size()),
                       fmt::format("must be one list for each of {} tokens", tokens));
  for (size_t t = 0; t < lists.of_token.size(); ++t)
    for (const int32_t row : lists.of_token[t])
      if (row < 0 || row >= rows)
        throw InvalidInput(fmt::format("{}[{}]", name, t), std::to_string(row),
                           fmt::format("must be a row, 0 to {}", rows - 1));
}

Tensor sink_logits_of(const Problem& problem, const SparseChoices& choices) {
  const auto& given = choices.sink_logits;
  if (given.empty()) return make_sink_logits(problem);
  if (std::ssize(given) != problem.query_heads)
    throw InvalidInput("sink logits", std::to_string(given.size()),
                       fmt::format("must be one for each of {} heads", problem.query_heads));
  Tensor sinks(ElementType::fp32, {problem.query_heads});
  std::ranges::copy(given, sinks.as<float>().begin());
  return sinks;
}

} // namespace

Tensors make_sparse_tensors(const Problem& problem, const SparseChoices& choices) {
  const SparseLists& lists = *sparse_lists(problem);
  check_lists("prefix", choices.prefix, lists.tokens, lists.pool_rows);
  check_lists("extend", choices.extend, lists.tokens, lists.chunk_rows);
  Tensors tensors;
  SparseTensors& t = sparse_tensors(tensors);
  write_lists(choices.prefix, lists.pool_rows, choices.padding, t.prefix_indptr, t.prefix_indices);
  write_lists(choices.extend, lists.chunk_rows, choices.padding, t.extend_indptr, t.extend_indices);

  const ValueSource& source = *choices.values;
  std::vector<int32_t> query_rows(static_cast<size_t>(lists.tokens) * problem.query_heads);
  std::iota(query_rows.begin(), query_rows.end(), 0);
  t.q = make_sparse_rows(problem, std::ssize(query_rows), query_rows,
                         [&](int32_t row, std::span<float> values) {
                           source.query(0, row / problem.query_heads, row % problem.query_heads, values);
                         });
  t.pool = make_sparse_rows(problem, lists.pool_rows, listed_rows(t.prefix_indptr, t.prefix_indices),
                            [&](int32_t row, std::span<float> values) { source.key(0, row, 0, values); });
  t.chunk = make_sparse_rows(
      problem, lists.chunk_rows, listed_rows(t.extend_indptr, t.extend_indices),
      [&](int32_t row, std::span<float> values) { source.key(0, lists.pool_rows + row, 0, values); });
  if (problem.sink_logit) tensors.sink_logit = sink_logits_of(problem, choices);
  return tensors;
}

} // namespace fmha950::operators
