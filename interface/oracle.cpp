#include "interface/oracle.hpp"

#include "interface/operator.hpp"
#include "interface/validate.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace fmha950 {
namespace {

class OperatorsOracle : public Oracle {
 public:
  AttentionRows exact(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                      OracleInput input, HiddenKeys hidden, ScoresOfRows scores) const override {
    return valid(problem, tensors).exact(problem, tensors, rows, input, hidden, scores);
  }
  AttentionRows plain(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                      const ProbabilityRounding& rounding) const override {
    return valid(problem, tensors).plain(problem, tensors, rows, rounding);
  }
  AuditSums audit(const Problem& problem, const Tensors& tensors, const AttentionRows& exact,
                  const ProbabilityRounding& rounding, const AttentionRows& plain,
                  const AttentionRows& got) const override {
    return valid(problem, tensors).audit(problem, tensors, exact, rounding, plain, got);
  }
  Cache cache_after(const Problem& problem, const Tensors& tensors) const override {
    return valid(problem, tensors).cache_after(problem, tensors);
  }
  Visibility visibility(const Problem& problem, const Tensors& tensors, QueryRow row) const override {
    return problem.op->oracle().visibility(problem, tensors, row);
  }
  KeyPrefixes key_prefixes(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                           const std::vector<int>& lengths) const override {
    return problem.op->oracle().key_prefixes(problem, tensors, row, head, lengths);
  }
  double max_value(const Problem& problem, const Tensors& tensors) const override {
    return problem.op->oracle().max_value(problem, tensors);
  }

 private:
  static const Oracle& valid(const Problem& problem, const Tensors& tensors) {
    validate_problem(problem);
    validate_tensors(problem, tensors);
    return problem.op->oracle();
  }
};

} // namespace

Cache Oracle::cache_after(const Problem& problem, const Tensors&) const {
  throw std::logic_error(fmt::format("{} writes to no cache", name_of(problem.op)));
}

const Oracle& oracle() {
  static const OperatorsOracle all;
  return all;
}

} // namespace fmha950
