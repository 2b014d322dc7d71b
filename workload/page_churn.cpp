#include "workload/page_churn.hpp"

#include "workload/philox.hpp"
#include "workload/serving_model.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::workload {
namespace {

constexpr int warm_up_requests = 300;

Prompt prompt_of(const TraceRow& row, const TraceSlice& slice, int page_size) {
  return {.input_length = std::max(1, row.input_length / slice.scale_down),
          .output_length = row.output_length / slice.scale_down,
          .full_page_keys = page_keys(row, slice.scale_down, page_size)};
}

std::vector<Prompt> warm_up(const Problem& problem) {
  std::vector<Prompt> prompts;
  if (problem.trace) {
    const auto& rows = load_trace(problem.trace->name);
    const int size = static_cast<int>(rows.size());
    const int count = std::min(warm_up_requests, size - problem.trace->count);
    for (int i = -count; i < 0; ++i)
      prompts.push_back(
          prompt_of(rows[(problem.trace->first + i + size) % size], *problem.trace, problem.page_size));
    return prompts;
  }
  for (uint32_t i = 0; i < warm_up_requests && !problem.requests.empty(); ++i) {
    const auto bits = philox({i, 1, 0, static_cast<uint32_t>(Stream::page_order)}, problem.seed);
    const int length = std::max(1, problem.requests[bits[0] % problem.requests.size()].key_length);
    prompts.push_back({.input_length = length, .output_length = length / 8, .full_page_keys = {}});
  }
  return prompts;
}

} // namespace

ChurnedPages churn(const Problem& problem) {
  std::vector<Prompt> prompts = warm_up(problem);
  const size_t warm = prompts.size();
  const auto keys = page_keys(problem);
  for (size_t b = 0; b < problem.requests.size(); ++b)
    prompts.push_back({problem.requests[b].key_length, 0, keys[b]});

  const int live = std::max(usual_live_requests, static_cast<int>(problem.requests.size()));
  ChurnedPages result;
  result.pool_pages =
      static_cast<int64_t>(std::ceil(
          usual_pool_headroom * static_cast<double>(peak_live_pages(prompts, problem.page_size, live)))) +
      problem.spare_pages;
  ServingModel model(result.pool_pages, problem.page_size, live, FreeOrder::tail_first);
  for (size_t i = 0; i < prompts.size(); ++i) {
    auto admission = model.arrive(prompts[i]);
    if (i >= warm) result.of_request.push_back(std::move(admission.pages));
  }
  return result;
}

} // namespace fmha950::workload
