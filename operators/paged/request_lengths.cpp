#include "operators/paged/keys.hpp"

#include "interface/error.hpp"

#include <algorithm>

namespace fmha950::case_keys {
namespace {

void require_given(std::string_view key, const std::vector<int>& lengths, size_t requests) {
  if (lengths.empty())
    throw InvalidInput("case string key", std::string(key), "is missing (or give trace=NAME@FIRST+COUNT)");
  require_count(key, lengths, requests, "requests");
}

} // namespace

std::string print_request_lengths(const Problem& problem, int Request::* length) {
  std::vector<int> lengths;
  for (const Request& request : problem.requests) lengths.push_back(request.*length);
  return problem.trace ? "" : case_text::print_lengths(std::move(lengths));
}

std::string print_repeat(const Problem& problem) {
  const auto& all = problem.requests;
  const bool equal = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
  return equal && all.size() > 1 && !problem.trace ? std::to_string(all.size()) : "";
}

void complete_requests(Draft& draft) {
  const bool has_lengths = !draft.query_lengths.empty() || !draft.key_lengths.empty() || draft.repeat;
  if (draft.problem.trace && has_lengths)
    throw InvalidInput("trace", case_text::print_trace(*draft.problem.trace),
                       "gives the requests, so b, sq and sk must be absent");
  if (draft.problem.trace) return;
  const size_t requests = draft.repeat ? static_cast<size_t>(*draft.repeat)
                                       : std::max(draft.query_lengths.size(), draft.key_lengths.size());
  require_given("sq", draft.query_lengths, requests);
  require_given("sk", draft.key_lengths, requests);
  for (size_t i = 0; i < requests; ++i)
    draft.problem.requests.push_back({length_of(draft.query_lengths, i), length_of(draft.key_lengths, i)});
}

} // namespace fmha950::case_keys
