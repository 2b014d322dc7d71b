#pragma once
// The forms of rows and heads that sparse_prefill's families are made in, and what all its probes are made of.

#include "harness/probe/probe.hpp"
#include "operators/sparse_prefill/generate.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "workload/value_source.hpp"

#include <functional>

namespace fmha950::harness {

struct SparseForm {
  ElementType type;
  RowFormat format;
  int heads;
};

// bf16, split and packed rows, with 16 and with 64 heads: few and many take kernels of their own. Other
// numbers are those of `sparse_heads`.
std::vector<SparseForm> sparse_forms();
std::vector<SparseForm> sparse_fp8_forms();
// "packed/h=64", the tail of a probe's name
std::string text_of(const SparseForm& form);

struct ListedRows { // by each token
  operators::RowLists prefix, extend;
  int pool_rows = 0, chunk_rows = 0;
};

// `count` different rows of `rows`, far from ascending. Never the first nor the last: no token lists these,
// so that they are NaN where a tail's ids are clamped to them.
std::vector<int32_t> scattered_rows(int count, int start, int rows);

// Tokens whose lists are that long and name scattered rows of a pool and a chunk. More rows are unlisted than listed.
ListedRows scattered_lists(const std::vector<int>& prefix_lengths, const std::vector<int>& extend_lengths);

// With LSE, the usual softmax scale, and no sink.
Problem sparse_problem(const SparseForm& form, const ListedRows& lists);

// A probe on these lists. `values`: N(0, 1) if null.
Probe sparse_probe(std::string name, std::string reason, const Problem& problem, const ListedRows& lists,
                   std::shared_ptr<const workload::ValueSource> values = nullptr);

// Likewise, with other choices: `change` is made to them.
Probe altered_sparse_probe(std::string name, std::string reason, const Problem& problem,
                           const ListedRows& lists, std::function<void(operators::SparseChoices&)> change);

// As sparse_probe(), with values that tell the listed rows apart. There are at most 32: every row has columns
// of its own in each scale block, and a constant in them (Probe.page_of_column).
Probe sparse_one_hot_probe(std::string name, std::string reason, const Problem& problem,
                           const ListedRows& lists);

// Values of sparse_prefill's probes: a function of the query's token and head, and of the row. Row r of the
// chunk is pool + r.
class SparseValues final : public workload::ValueSource {
 public:
  using Query = std::function<void(int token, int head, std::span<float> columns)>;
  using Key = std::function<void(int row, std::span<float> columns)>;
  SparseValues(Query query, Key key) : query_(std::move(query)), key_(std::move(key)) {}

  void query(int, int token, int head, std::span<float> columns) const override {
    query_(token, head, columns);
  }
  void key(int, int row, int, std::span<float> columns) const override { key_(row, columns); }
  void value(int, int row, int, std::span<float> columns) const override { key_(row, columns); }

 private:
  Query query_;
  Key key_;
};

// N(0, 1), of queries and of rows.
void random_query(int token, int head, std::span<float> columns);
void random_row(int row, std::span<float> columns);

} // namespace fmha950::harness
