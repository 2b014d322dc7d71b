// Compiled once per operator and width, in the width's namespace. FMHA950_GATHER is the header of the operator's gather,
// FMHA950_PASSES the name of what is made here.
#include "impl_reference/attention/attention.hpp"
#include "impl_reference/audit/audit.hpp"
#include "impl_reference/passes.hpp"

#include FMHA950_GATHER

namespace fmha950::reference::FMHA950_SIMD {
namespace {

AttentionRows exact(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                    OracleInput input, HiddenKeys hidden, ScoresOfRows scores) {
  return exact_attention(OperatorGather(problem, tensors, input, hidden), rows, scores);
}

AttentionRows plain(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                    const ProbabilityRounding& rounding) {
  return plain_attention(OperatorGather(problem, tensors, OracleInput::dequantised, {}), rows, rounding);
}

AuditSums audit(const Problem& problem, const Tensors& tensors, const AttentionRows& exact,
                const ProbabilityRounding& rounding, const AttentionRows& plain, const AttentionRows& got) {
  return audit_of(OperatorGather(problem, tensors, OracleInput::dequantised, {}),
                  {exact, plain, got, rounding});
}

} // namespace

extern const Passes FMHA950_PASSES; // a constant of this file otherwise
const Passes FMHA950_PASSES{exact, plain, audit};

} // namespace fmha950::reference::FMHA950_SIMD
