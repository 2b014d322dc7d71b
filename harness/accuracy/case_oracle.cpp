#include "harness/accuracy/case_oracle.hpp"

#include "harness/accuracy/max_value.hpp"
#include "interface/implementation.hpp"

namespace fmha950::harness {

void CaseOracle::choose(const std::vector<QueryRow>& rows) {
  if (rows == rows_) return;
  rows_ = rows;
  exact_.clear();
  plain_.clear();
}

const AttentionRows& CaseOracle::exact(OracleInput input) {
  auto place = exact_.find(input);
  if (place == exact_.end())
    place = exact_.emplace(input, fmha950::oracle().exact(problem_, tensors_, rows_, input)).first;
  return place->second;
}

const AttentionRows& CaseOracle::plain(const ProbabilityRounding& rounding) {
  for (const auto& [key, rows] : plain_)
    if (key == rounding) return rows;
  return plain_.emplace_back(rounding, fmha950::oracle().plain(problem_, tensors_, rows_, rounding)).second;
}

double CaseOracle::max_value() {
  if (!max_value_) max_value_ = harness::max_value(problem_, tensors_);
  return *max_value_;
}

const Cache& CaseOracle::cache_after() {
  if (!cache_) cache_ = fmha950::oracle().cache_after(problem_, tensors_);
  return *cache_;
}

bool CaseOracle::has_original() const {
  const SparseTensors& sparse = tensors_.sparse;
  for (const Tensor* tensor : {&tensors_.q_original, &tensors_.k_original, &sparse.q.original,
                               &sparse.pool.original, &sparse.chunk.original})
    if (!tensor->empty()) return true;
  return false;
}

} // namespace fmha950::harness
