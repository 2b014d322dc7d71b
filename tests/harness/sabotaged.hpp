#pragma once
// A case as the saboteur sees it, without any device: a plan that knows nothing but its parts.

#include "harness/accuracy/judged_run.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/sabotage/defect.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace fmha950::harness::test {

struct NoPlan : Plan {
  std::vector<PartialWeight> weights;
  std::string variant() const override { return ""; }
  size_t workspace_bytes() const override { return 0; }
  ProbabilityRounding probability_rounding() const override { return {}; }
  int query_tile() const override { return 1; }
  TileShape score_tile() const override { return {1, 1}; }
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>&) const override { return {}; }
  std::vector<PartialWeight> partial_weights(const std::vector<QueryRow>&) const override { return weights; }
  void enqueue(hip::Stream) override {}
  void enqueue_restricted(hip::Stream, const std::vector<LaunchWorkgroups>&) override {}
};

// Bytes at which two tensors of one shape differ; -1 if they have not one shape.
inline int64_t differing_bytes(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.type() != b.type()) return -1;
  int64_t count = 0;
  for (size_t i = 0; i < a.bytes(); ++i) count += a.data()[i] != b.data()[i];
  return count;
}

struct Sabotaged {
  explicit Sabotaged(const std::string& text)
      : problem(parse_case(text)), tensors(workload::make_tensors(problem)), oracle(problem, tensors) {
    rows = sample_tiles(problem, 12, 4);
    oracle.choose(rows);
    AttentionRows got = exact();
    if (!problem.lse) got.lse.clear();
    audit = audit_of(problem, tensors, {}, got, oracle);
  }
  const AttentionRows& exact() { return oracle.exact(OracleInput::dequantised); }
  SabotagedCase as_case() const { return {problem, tensors, rows, audit, plan}; }

  Problem problem;
  Tensors tensors;
  CaseOracle oracle;
  std::vector<QueryRow> rows;
  AuditSums audit;
  NoPlan plan;
};

// The defects of a kind, at least one.
inline std::vector<Defect> of_kind(const std::vector<Defect>& defects, const std::string& kind) {
  std::vector<Defect> found;
  for (const Defect& defect : defects)
    if (defect.kind == kind) found.push_back(defect);
  return found;
}

inline std::set<std::string> kinds_of(const std::vector<Defect>& defects) {
  std::set<std::string> kinds;
  for (const Defect& defect : defects) kinds.insert(defect.kind);
  return kinds;
}

} // namespace fmha950::harness::test
