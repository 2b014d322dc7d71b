#include "workload/serving_model.hpp"

#include <algorithm>

namespace fmha950::workload {
namespace {

int pages_for(int tokens, int page_size) { return (tokens + page_size - 1) / page_size; }

} // namespace

ServingModel::ServingModel(int64_t pool_pages, int page_size, int live_requests, FreeOrder order)
    : allocator_(pool_pages, order), page_size_(page_size), live_requests_(live_requests) {}

PagedAllocator::Admission ServingModel::arrive(const Prompt& prompt) {
  if (live_.size() == live_requests_) {
    allocator_.release(live_.front().pages);
    live_.pop_front();
  }
  decode();
  const int prompt_pages = pages_for(prompt.input_length, page_size_);
  auto admission = allocator_.admit(prompt.full_page_keys, prompt_pages);
  const int per_arrival =
      (prompt.output_length + static_cast<int>(live_requests_) - 1) / static_cast<int>(live_requests_);
  live_.push_back({.pages = admission.pages,
                   .prompt_pages = prompt_pages,
                   .tokens = prompt.input_length,
                   .last_token = prompt.input_length + prompt.output_length,
                   .tokens_per_arrival = per_arrival});
  return admission;
}

void ServingModel::decode() {
  for (Live& request : live_) {
    request.tokens = std::min(request.tokens + request.tokens_per_arrival, request.last_token);
    while (static_cast<int>(request.pages.size()) < pages_for(request.tokens, page_size_))
      request.pages.push_back(allocator_.append());
  }
}

std::vector<std::span<const int32_t>> ServingModel::live_prompts() const {
  std::vector<std::span<const int32_t>> prompts;
  for (const Live& request : live_) prompts.push_back(std::span(request.pages).first(request.prompt_pages));
  return prompts;
}

int64_t peak_live_pages(std::span<const Prompt> prompts, int page_size, int live_requests) {
  int64_t enough = 0;
  for (const Prompt& prompt : prompts)
    enough += pages_for(prompt.input_length + prompt.output_length, page_size) + 1;
  ServingModel model(enough, page_size, live_requests, FreeOrder::tail_first);
  int64_t peak = 0;
  for (const Prompt& prompt : prompts) {
    model.arrive(prompt);
    peak = std::max(peak, model.allocator().live_pages());
  }
  return peak;
}

} // namespace fmha950::workload
