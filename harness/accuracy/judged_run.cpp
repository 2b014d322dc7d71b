#include "harness/accuracy/judged_run.hpp"

#include "interface/names.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// Elements of `all` (rows.size() equal parts) that belong to the rows of `chosen`, which has to be an ordered
// part of `rows`.
template <class T>
std::vector<T> rows_of(const std::vector<T>& all, const std::vector<QueryRow>& rows,
                       const std::vector<QueryRow>& chosen) {
  const size_t width = rows.empty() ? 0 : all.size() / rows.size();
  std::vector<T> part;
  part.reserve(chosen.size() * width);
  size_t row = 0;
  for (const QueryRow& wanted : chosen) {
    while (row < rows.size() && rows[row] != wanted) ++row;
    if (row == rows.size())
      throw OracleUnsound(fmt::format("request {}, query {} was not run", wanted.request, wanted.query));
    part.insert(part.end(), all.begin() + static_cast<std::ptrdiff_t>(row * width),
                all.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  }
  return part;
}

// Of 8 bits or fewer: limits of P in fp8 hold for them.
bool narrow_keys(const Problem& problem) { return element_bits(problem.kv_type) <= 8; }

void require_type_of_p(const Problem& problem, const ProbabilityRounding& rounding) {
  if (rounding.type == ElementType::fp8 && !narrow_keys(problem))
    throw OracleUnsound(
        fmt::format("p=fp8 is for K and V in fp8 or mxfp4, and these are {}", name_of(problem.kv_type)));
}

} // namespace

Evidence evidence_of(const Problem& problem, const Tensors& tensors, const ProbabilityRounding& rounding,
                     const AttentionRows& got, const AuditSums& audit, CaseOracle& oracle) {
  const auto max_value = narrow_keys(problem) ? std::optional(oracle.max_value()) : std::nullopt;
  return {problem,  tensors,  oracle.exact(OracleInput::dequantised), oracle.plain(rounding), got, audit,
          rounding, max_value};
}

AuditSums audit_of(const Problem& problem, const Tensors& tensors, const ProbabilityRounding& rounding,
                   const AttentionRows& got, CaseOracle& oracle) {
  return fmha950::oracle().audit(problem, tensors, oracle.exact(OracleInput::dequantised), rounding,
                                 oracle.plain(rounding), got);
}

JudgedRun judge_run(const Problem& problem, const Tensors& tensors, const ProbabilityRounding& rounding,
                    const std::vector<QueryRow>& rows, const RowOutputs& outputs, CaseOracle& oracle) {
  require_type_of_p(problem, rounding);
  const RowValues values = decode(problem, outputs);
  JudgedRun judged;
  judged.got = {oracle.rows(), rows_of(values.output, rows, oracle.rows()),
                rows_of(values.lse, rows, oracle.rows())};
  judged.audit = audit_of(problem, tensors, rounding, judged.got, oracle);
  judged.verdict = judge(evidence_of(problem, tensors, rounding, judged.got, judged.audit, oracle));
  judged.verdict.defects = find_defects(values.output, values.output_untouched);
  judged.verdict.lse_defects = find_lse_defects(values.lse, values.lse_untouched);
  return judged;
}

} // namespace fmha950::harness
