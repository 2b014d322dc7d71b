#include "harness/accuracy/case_oracle.hpp"

#include "interface/operator.hpp"

#include <algorithm>

namespace fmha950::harness {

void CaseOracle::choose(const std::vector<QueryRow>& rows) {
  if (rows == rows_) return;
  rows_ = rows;
  exact_.clear();
  plain_.clear();
}

const AttentionRows& CaseOracle::exact(OracleInput input) {
  auto place = exact_.find(input);
  if (place == exact_.end()) {
    const auto scores = input == OracleInput::dequantised ? ScoresOfRows::kept : ScoresOfRows::dropped;
    place =
        exact_.emplace(input, fmha950::oracle().exact(problem_, tensors_, rows_, input, {}, scores)).first;
  }
  return place->second;
}

const AttentionRows& CaseOracle::plain(const ProbabilityRounding& rounding) {
  for (const auto& [key, rows] : plain_)
    if (key == rounding) return rows;
  return plain_.emplace_back(rounding, fmha950::oracle().plain(problem_, tensors_, rows_, rounding)).second;
}

double CaseOracle::max_value() {
  if (!max_value_) max_value_ = fmha950::oracle().max_value(problem_, tensors_);
  return *max_value_;
}

const Cache& CaseOracle::cache_after() {
  if (!cache_) cache_ = fmha950::oracle().cache_after(problem_, tensors_);
  return *cache_;
}

bool CaseOracle::has_original() const {
  Tensors handles = tensors_; // entries name tensors that may be written to
  return std::ranges::any_of(problem_.op->facts().tensors, [&](const TensorEntry& entry) {
    return entry.role == TensorRole::original && !entry.of(handles).empty();
  });
}

} // namespace fmha950::harness
