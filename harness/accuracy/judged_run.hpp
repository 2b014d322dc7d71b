#pragma once
// A run's outputs before the judges of DESIGN.md section 7.

#include "harness/accuracy/case_oracle.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/verdict.hpp"

namespace fmha950::harness {

struct JudgedRun {
  Verdict verdict;
  AttentionRows got; // the oracle's rows
  AuditSums audit;
};

// `outputs` of `rows`, which include the oracle's. Defects need no oracle: all of `rows` are searched for
// them. Throws OracleUnsound.
JudgedRun judge_run(const Problem& problem, const Tensors& tensors, const ProbabilityRounding& rounding,
                    const std::vector<QueryRow>& rows, const RowOutputs& outputs, CaseOracle& oracle);

// The evidence for a result that is there already, with the oracle's rows.
Evidence evidence_of(const Problem& problem, const Tensors& tensors, const ProbabilityRounding& rounding,
                     const AttentionRows& got, const AuditSums& audit, CaseOracle& oracle);
AuditSums audit_of(const Problem& problem, const Tensors& tensors, const ProbabilityRounding& rounding,
                   const AttentionRows& got, CaseOracle& oracle);

} // namespace fmha950::harness
