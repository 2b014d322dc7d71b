#include "operators/append_prefill/calls.hpp"

#include "operators/append_prefill/append_tensors.hpp"
#include "workload/page_tables.hpp"
#include "workload/philox.hpp"

#include <algorithm>

namespace fmha950::operators {
namespace {

using namespace workload;

std::vector<int32_t> cuts_of_request(const Problem& problem, uint32_t request) {
  const int length = problem.requests[request].query_length;
  const uint32_t own = problem.mode == BatchMode::batch ? 0 : request;
  std::vector<int32_t> places;
  for (int call = 1; call < problem.calls; ++call) {
    const auto bits = philox(
        {static_cast<uint32_t>(call), own, 0, static_cast<uint32_t>(Stream::append_call)}, problem.seed);
    places.push_back(static_cast<int32_t>(uint64_t{bits[0]} * (static_cast<uint64_t>(length) + 1) >> 32));
  }
  std::ranges::sort(places);
  return places;
}

// Rows of the call's chunk out of `whole`, whose outermost dimension is the query token.
Tensor rows_of_call(const Tensor& whole, const Problem& problem, const AppendCall& call) {
  if (whole.empty()) return {};
  std::vector<int64_t> shape = whole.shape();
  const size_t row_bytes = whole.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = call.problem.total_queries();
  Tensor rows(whole.type(), shape);
  size_t from = 0, to = 0;
  for (size_t r = 0; r < problem.requests.size(); ++r) {
    const auto count = static_cast<size_t>(call.problem.requests[r].query_length);
    std::copy_n(whole.data() + (from + static_cast<size_t>(call.first_query[r])) * row_bytes,
                count * row_bytes, rows.data() + to * row_bytes);
    from += static_cast<size_t>(problem.requests[r].query_length);
    to += count;
  }
  return rows;
}

} // namespace

Tensor make_call_cuts(const Problem& problem) {
  if (problem.calls == 1) return {};
  Tensor cuts(ElementType::int32, {std::ssize(problem.requests), problem.calls - 1});
  auto next = cuts.as<int32_t>().begin();
  for (uint32_t r = 0; r < problem.requests.size(); ++r)
    next = std::ranges::copy(cuts_of_request(problem, r), next).out;
  return cuts;
}

std::vector<AppendCall> append_calls(const Problem& problem, const Tensor& given) {
  const Tensor cuts = given.empty() ? make_call_cuts(problem) : given;
  Problem of_call = problem;
  of_call.calls = 1;
  of_call.trace.reset(); // its lengths are no longer those of the requests
  std::vector<AppendCall> calls(static_cast<size_t>(problem.calls), {of_call, {}});
  const auto later = static_cast<size_t>(problem.calls - 1); // calls that begin with a cut
  for (size_t r = 0; r < problem.requests.size(); ++r) {
    const Request& whole = problem.requests[r];
    int begin = 0;
    for (size_t c = 0; c < calls.size(); ++c) {
      const int end = c < later ? cuts.as<int32_t>()[r * later + c] : whole.query_length;
      calls[c].first_query.push_back(begin);
      calls[c].problem.requests[r] = {.query_length = end - begin,
                                      .key_length = whole.key_length - whole.query_length + end};
      begin = end;
    }
  }
  return calls;
}

Tensors tensors_of_call(const Problem& problem, const Tensors& tensors, const AppendCall& call) {
  PageAssignment pages{tensors.pool_pages(), {}, {}};
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    auto& list = pages.of_request.emplace_back();
    for (int page = 0; page < call.problem.pages_of(call.problem.requests[static_cast<size_t>(r)]); ++page)
      list.push_back(page_of(problem, tensors, r, page * problem.page_size));
  }
  Tensors of_call = tensors;
  fill_page_tables(call.problem, pages, {}, of_call);
  for (Tensor Tensors::* rows : {&Tensors::q, &Tensors::q_original})
    of_call.*rows = rows_of_call(tensors.*rows, problem, call);
  const AppendTensors& whole = append_tensors(tensors);
  append_tensors(of_call) = {.k_new = rows_of_call(whole.k_new, problem, call),
                             .v_new = rows_of_call(whole.v_new, problem, call),
                             .call_cuts = {},
                             .positions = rows_of_call(whole.positions, problem, call),
                             .cos_sin_cache = whole.cos_sin_cache};
  return of_call;
}

} // namespace fmha950::operators
