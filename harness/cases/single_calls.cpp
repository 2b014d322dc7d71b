#include "harness/cases/single_calls.hpp"

#include "harness/workload/append_calls.hpp"
#include "interface/implementation.hpp"

namespace fmha950::harness {

void for_each_call(const Problem& problem, const Tensors& tensors,
                   const std::function<bool(const SingleCall&)>& body) {
  if (problem.calls == 1) {
    const std::vector<int> first_query(problem.requests.size(), 0);
    body({problem, tensors, 0, 1, first_query});
    return;
  }
  Tensors state = tensors;
  const std::vector<workload::AppendCall> calls = workload::append_calls(problem);
  for (size_t i = 0; i < calls.size(); ++i) {
    const Problem& of_call = calls[i].problem;
    const Tensors call_tensors = workload::tensors_of_call(problem, state, calls[i]);
    if (!body({of_call, call_tensors, static_cast<int>(i), problem.calls, calls[i].first_query})) return;
    Cache after = oracle().cache_after(of_call, call_tensors);
    state.k_pool = std::move(after.k);
    state.v_pool = std::move(after.v);
  }
}

Problem as_single_call(Problem problem) {
  problem.calls = 1;
  return problem;
}

} // namespace fmha950::harness
