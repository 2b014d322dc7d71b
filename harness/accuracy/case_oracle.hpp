#pragma once
// The oracle's answers for one case, kept for all implementations that are judged on the same rows.

#include "interface/oracle.hpp"

#include <map>
#include <optional>

namespace fmha950::harness {

class CaseOracle {
 public:
  CaseOracle(const Problem& problem, const Tensors& tensors) : problem_(problem), tensors_(tensors) {}
  void choose(const std::vector<QueryRow>& rows); // forgets the answers if the rows change
  const AttentionRows& exact(OracleInput input);
  const AttentionRows& plain(const ProbabilityRounding& rounding);
  double max_value();
  bool has_original() const;
  const Cache& cache_after();                                   // of append_prefill
  void expect_cache(Cache cache) { cache_ = std::move(cache); } // instead of the oracle's
  const std::vector<QueryRow>& rows() const { return rows_; }

 private:
  const Problem& problem_;
  const Tensors& tensors_;
  std::vector<QueryRow> rows_;
  std::map<OracleInput, AttentionRows> exact_;
  std::vector<std::pair<ProbabilityRounding, AttentionRows>> plain_;
  std::optional<double> max_value_;
  std::optional<Cache> cache_;
};

} // namespace fmha950::harness
