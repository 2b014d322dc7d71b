#include "harness/cases/single_calls.hpp"

#include "interface/implementation.hpp"
#include "interface/operator.hpp"

#include <algorithm>

namespace fmha950::harness {

namespace {

void place(const Problem& problem, const SingleCall& call, const std::vector<std::byte>& part,
           std::vector<std::byte>& whole) {
  const auto rows = static_cast<size_t>(call.problem.total_queries());
  if (rows == 0) return;
  const size_t row_bytes = part.size() / rows;
  whole.resize(static_cast<size_t>(problem.total_queries()) * row_bytes);
  size_t from = 0, first = 0;
  for (size_t r = 0; r < problem.requests.size(); ++r) {
    const auto count = static_cast<size_t>(call.problem.requests[r].query_length);
    const size_t to = first + static_cast<size_t>(call.first_query[r]);
    std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(from * row_bytes), count * row_bytes,
                whole.begin() + static_cast<std::ptrdiff_t>(to * row_bytes));
    from += count;
    first += static_cast<size_t>(problem.requests[r].query_length);
  }
}

} // namespace

void place_rows(const Problem& problem, const SingleCall& call, const RowOutputs& part, RowOutputs& whole) {
  place(problem, call, part.output, whole.output);
  place(problem, call, part.lse, whole.lse);
}

void for_each_call(const Problem& problem, const Tensors& tensors,
                   const std::function<bool(const SingleCall&)>& body) {
  if (problem.calls == 1) {
    const std::vector<int> first_query(problem.requests.size(), 0);
    body({problem, tensors, 0, 1, first_query});
    return;
  }
  Tensors state = tensors;
  for (int i = 0; i < problem.calls; ++i) {
    const OperatorCall call = problem.op->call(problem, state, i);
    if (!body({call.problem, call.tensors, i, problem.calls, call.first_query})) return;
    if (i + 1 == problem.calls) return;
    Cache after = oracle().cache_after(call.problem, call.tensors);
    state.k_pool = std::move(after.k);
    state.v_pool = std::move(after.v);
  }
}

Problem as_single_call(Problem problem) {
  problem.calls = 1;
  return problem;
}

Tensors as_single_call(const Problem& problem, const Tensors& tensors) {
  return problem.calls == 1 ? tensors : problem.op->call(as_single_call(problem), tensors, 0).tensors;
}

} // namespace fmha950::harness
