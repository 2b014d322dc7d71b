// The oracle: all operators in float64, the plain low-precision implementation, the audit's sums and
// append_prefill's cache.
#include "impl_reference/appended_cache.hpp"
#include "impl_reference/passes.hpp"
#include "interface/implementation.hpp"
#include "interface/validate.hpp"

namespace fmha950::reference {
namespace {

void require_valid(const Problem& problem, const Tensors& tensors) {
  validate_problem(problem);
  validate_tensors(problem, tensors);
}

class Reference : public Oracle {
 public:
  AttentionRows exact(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                      OracleInput input, HiddenKeys hidden) const override {
    require_valid(problem, tensors);
    return passes().exact(problem, tensors, rows, input, hidden);
  }
  AttentionRows plain(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                      const ProbabilityRounding& rounding) const override {
    require_valid(problem, tensors);
    return passes().plain(problem, tensors, rows, rounding);
  }
  AuditSums audit(const Problem& problem, const Tensors& tensors, const AttentionRows& exact,
                  const ProbabilityRounding& rounding, const AttentionRows& plain,
                  const AttentionRows& got) const override {
    require_valid(problem, tensors);
    return passes().audit(problem, tensors, exact, rounding, plain, got);
  }
  Cache cache_after(const Problem& problem, const Tensors& tensors) const override {
    require_valid(problem, tensors);
    return appended_cache(problem, tensors);
  }
};

const RegisterOracle<Reference> registered;

} // namespace
} // namespace fmha950::reference
