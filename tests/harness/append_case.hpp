#pragma once
// Cases of append_prefill, judged on the fake implementation.
#include "fake_implementation.hpp"
#include "harness/accuracy/accuracy_case.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"
#include "workload/trace.hpp"

namespace fmha950::harness::test {

// Request 0 has 40 old tokens in pages of 16, request 1 none; one page is spare.
inline constexpr const char* two_requests =
    "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/lse=1/causal=1/order=sequential/spare=1";

inline Record judged(const std::string& text, const AccuracyOptions& options = {}) {
  Problem problem = parse_case(text);
  workload::resolve_trace(problem);
  const Tensors tensors = workload::make_tensors(problem);
  CaseOracle oracle(problem, tensors);
  Record record;
  judge_case(find_implementation("fake_a"), problem, tensors, options, oracle, record);
  return record;
}

inline fake::Behaviour& fresh() {
  fake::reset_behaviours();
  return fake::behaviour("fake_a");
}

// Index of an element of two_requests, whose pages lie in order.
inline int64_t element(int page, int slot, int head, int column) {
  return ((int64_t{page} * 16 + slot) * 2 + head) * 64 + column;
}

} // namespace fmha950::harness::test
