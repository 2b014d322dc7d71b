#pragma once
// What the oracles of all operators have in common: attention and audit over what a gather gives.

#include "impl_reference/passes.hpp"

namespace fmha950::reference {

class OracleOfPasses : public Oracle {
 public:
  explicit OracleOfPasses(const PassesOfWidths& passes) : passes_(passes) {}

  AttentionRows exact(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                      OracleInput input, HiddenKeys hidden, ScoresOfRows scores) const override {
    return passes().exact(problem, tensors, rows, input, hidden, scores);
  }
  AttentionRows plain(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                      const ProbabilityRounding& rounding) const override {
    return passes().plain(problem, tensors, rows, rounding);
  }
  AuditSums audit(const Problem& problem, const Tensors& tensors, const AttentionRows& exact,
                  const ProbabilityRounding& rounding, const AttentionRows& plain,
                  const AttentionRows& got) const override {
    return passes().audit(problem, tensors, exact, rounding, plain, got);
  }

 private:
  const Passes& passes() const { return chosen(passes_); }

  PassesOfWidths passes_;
};

} // namespace fmha950::reference
