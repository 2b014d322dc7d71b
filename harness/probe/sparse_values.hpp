#pragma once
// Values of sparse_prefill's probes: a function of the query's token and head, and of the row. Row r of the
// chunk is pool + r.

#include "workload/value_source.hpp"

#include <functional>

namespace fmha950::harness {

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
