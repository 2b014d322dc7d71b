#pragma once
// Evidence by hand, without any attention, so that each limit can be worked out on paper.

#include "harness/judge/evidence.hpp"

#include <cmath>

namespace fmha950::harness::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Rows of one KV head, 64 columns. The output of each is 2 in column 0 and 0 elsewhere, so that an error in
// column 0 is one of length and any other one is across. P and the output are bf16: rounding all alike is
// 1 / 257 of each, 2 / 257 = 0.00778 of both. Plain and got are exact until a test breaks them.
struct SyntheticEvidence {
  static constexpr size_t columns = 64;

  explicit SyntheticEvidence(int query_rows = 256) {
    problem.head_dim = columns;
    problem.requests = {{query_rows, 64}};
    problem.lse = true;
    for (int query = 0; query < query_rows; ++query) {
      exact.rows.push_back({0, query});
      exact.output.push_back(2);
      exact.output.insert(exact.output.end(), columns - 1, 0);
      exact.lse.push_back(7);
      // Without a bound to the independent numbers that an error is made of, the factors are the plain ones.
      audit.noise.push_back({.variance = 1e-4,
                             .across = 1e-4,
                             .along = 1e-6,
                             .common = 1.0 / 257,
                             .terms = infinity,
                             .directions = infinity,
                             .lse_variance = 1e-8});
    }
    plain = got = exact;
    AuditOwner owner;
    owner.rows = query_rows;
    owner.keys = 64;
    owner.buckets.push_back({0, {PartKind::tile, {64}, 1, {{}}, {{}}}});
    owner.column_scale.assign(columns, 1);
    audit.owners.push_back(owner);
  }

  double& element(size_t row, size_t column) { return got.output[row * columns + column]; }
  Evidence evidence() const {
    return {problem, tensors, exact, plain, got, audit, ProbabilityRounding{}, max_value};
  }

  Problem problem;
  Tensors tensors;
  AttentionRows exact, plain, got;
  AuditSums audit;
  std::optional<double> max_value;
};

using Names = std::vector<std::string>;

inline Names failed(const std::vector<Limit>& limits) {
  Names names;
  for (const Limit& limit : limits)
    if (!limit.holds()) names.push_back(limit.name);
  return names;
}

} // namespace fmha950::harness::test
