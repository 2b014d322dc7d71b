#include "operators/sparse_prefill/trials/sparse_form.hpp"

#include "harness/probe/page_values.hpp"
#include "interface/names.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

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

namespace {

constexpr float usual_scale = 0.0442f; // 1/sqrt(512)
constexpr int stride = 37;             // between listed rows
constexpr int constants = 4;           // of rows beside each other: 1, 2, 4 and 8

std::vector<int> lengths_of(const operators::RowLists& lists) {
  std::vector<int> lengths;
  for (const auto& list : lists.of_token) lengths.push_back(static_cast<int>(list.size()));
  return lengths;
}

// Rows of the chunk behind those of the pool, as values name them.
std::vector<int32_t> rows_of(const ListedRows& lists) {
  std::set<int32_t> rows;
  for (const auto& list : lists.prefix.of_token) rows.insert(list.begin(), list.end());
  for (const auto& list : lists.extend.of_token)
    for (const int32_t row : list) rows.insert(lists.pool_rows + row);
  return {rows.begin(), rows.end()};
}

std::shared_ptr<const workload::ValueSource> one_hot_values(const std::vector<int32_t>& rows,
                                                            const std::vector<int32_t>& row_of_column) {
  return std::make_shared<SparseValues>(random_query, [=](int row, std::span<float> columns) {
    const auto rank = std::ranges::lower_bound(rows, row) - rows.begin();
    const float constant = std::ldexp(1.0f, static_cast<int>(rank % constants));
    for (size_t i = 0; i < columns.size(); ++i) columns[i] = row_of_column[i] == row ? constant : 0.0f;
  });
}

std::shared_ptr<const workload::ValueSource> random_values() {
  return std::make_shared<SparseValues>(random_query, random_row);
}

} // namespace

std::vector<SparseForm> sparse_fp8_forms() {
  std::vector<SparseForm> forms;
  for (const RowFormat format : {RowFormat::split, RowFormat::packed})
    for (const int heads : {16, 64}) forms.push_back({ElementType::fp8, format, heads});
  return forms;
}

std::vector<SparseForm> sparse_forms() {
  std::vector<SparseForm> forms = sparse_fp8_forms();
  for (const int heads : {16, 64}) forms.push_back({ElementType::bf16, RowFormat::split, heads});
  return forms;
}

std::string text_of(const SparseForm& form) {
  return fmt::format("{}/h={}", form.type == ElementType::bf16 ? name_of(form.type) : name_of(form.format),
                     form.heads);
}

std::vector<int32_t> scattered_rows(int count, int start, int rows) {
  std::vector<int32_t> list;
  for (int64_t i = start; i < start + count; ++i)
    list.push_back(static_cast<int32_t>(1 + i * stride % (rows - 2)));
  return list;
}

ListedRows scattered_lists(const std::vector<int>& prefix_lengths, const std::vector<int>& extend_lengths) {
  const auto lists_of = [](const std::vector<int>& lengths, int rows) {
    operators::RowLists lists;
    for (size_t token = 0; token < lengths.size(); ++token)
      lists.of_token.push_back(scattered_rows(lengths[token], static_cast<int>(7 * token), rows));
    return lists;
  };
  // Less two rows neither is a multiple of the stride: no list names a row twice.
  const int pool_rows = 600, chunk_rows = 500;
  return {lists_of(prefix_lengths, pool_rows), lists_of(extend_lengths, chunk_rows), pool_rows, chunk_rows};
}

Problem sparse_problem(const SparseForm& form, const ListedRows& lists) {
  Problem problem;
  problem.op = sparse_prefill;
  problem.query_heads = form.heads;
  problem.head_dim = sparse::head_dim;
  problem.query_type = problem.kv_type = form.type;
  problem.lse = true;
  problem.scale = usual_scale;
  problem.own = SparseLists{static_cast<int>(lists.prefix.of_token.size()),
                            lists.pool_rows,
                            lists.chunk_rows,
                            ListKind::lengths,
                            lengths_of(lists.prefix),
                            lengths_of(lists.extend),
                            form.format};
  problem.requests = {{sparse_lists(problem)->tokens, most_listed_rows(*sparse_lists(problem))}};
  return problem;
}

Probe sparse_probe(std::string name, std::string reason, const Problem& problem, const ListedRows& lists,
                   std::shared_ptr<const workload::ValueSource> values) {
  if (!values) values = random_values();
  return {.name = std::move(name), .reason = std::move(reason), .problem = problem, .make = [=] {
            return operators::make_sparse_tensors(problem, {lists.prefix, lists.extend, values});
          }};
}

Probe altered_sparse_probe(std::string name, std::string reason, const Problem& problem,
                           const ListedRows& lists, std::function<void(operators::SparseChoices&)> change) {
  return {.name = std::move(name), .reason = std::move(reason), .problem = problem, .make = [=] {
            operators::SparseChoices choices{lists.prefix, lists.extend, random_values()};
            change(choices);
            return operators::make_sparse_tensors(problem, choices);
          }};
}

Probe sparse_one_hot_probe(std::string name, std::string reason, const Problem& problem,
                           const ListedRows& lists) {
  const std::vector<int32_t> rows = rows_of(lists);
  const std::vector<int32_t> columns = columns_of_pages(rows, problem.head_dim);
  Probe probe =
      sparse_probe(std::move(name), std::move(reason), problem, lists, one_hot_values(rows, columns));
  probe.page_of_column = columns;
  return probe;
}

} // namespace fmha950::harness
