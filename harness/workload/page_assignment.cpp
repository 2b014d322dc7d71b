#include "harness/workload/page_assignment.hpp"

#include "harness/workload/page_churn.hpp"
#include "harness/workload/philox.hpp"
#include "harness/workload/trace.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace fmha950::workload {
namespace {

// Page ids as if the pool were filled in order of first use; full pages with equal keys are one page.
std::vector<std::vector<int32_t>> first_use_order(const Problem& problem) {
  std::vector<std::vector<int32_t>> of_request;
  std::unordered_map<PageKey, int32_t> shared;
  int32_t next = 0;
  const auto keys = page_keys(problem);
  for (size_t b = 0; b < problem.requests.size(); ++b) {
    auto& list = of_request.emplace_back();
    for (int p = 0; p < problem.pages_of(problem.requests[b]); ++p) {
      const bool shareable = static_cast<size_t>(p) < keys[b].size();
      const auto [place, fresh] =
          shareable ? shared.try_emplace(keys[b][p], next) : std::pair(shared.end(), true);
      list.push_back(fresh ? next++ : place->second);
    }
  }
  return of_request;
}

std::vector<int32_t> permutation(int64_t size, uint64_t seed) {
  std::vector<int32_t> ids(size);
  std::iota(ids.begin(), ids.end(), 0);
  for (int64_t i = size - 1; i > 0; --i) {
    const auto bits =
        philox({static_cast<uint32_t>(i), 0, 0, static_cast<uint32_t>(Stream::page_order)}, seed);
    std::swap(ids[i], ids[static_cast<int64_t>(uint64_t{bits[0]} * static_cast<uint64_t>(i + 1) >> 32)]);
  }
  return ids;
}

std::vector<PageUse> uses_of(const Problem& problem, const std::vector<std::vector<int32_t>>& of_request) {
  std::vector<PageUse> uses;
  for (size_t b = 0; b < of_request.size(); ++b) {
    for (size_t p = 0; p < of_request[b].size(); ++p) {
      const int first = static_cast<int>(p) * problem.page_size;
      const int tokens = std::min(problem.page_size, problem.requests[b].key_length - first);
      uses.push_back({of_request[b][p], static_cast<int>(b), first, tokens});
    }
  }
  // Of several users of a page the first request comes first and owns it.
  std::ranges::sort(uses, {}, [](const PageUse& use) { return std::pair(use.page, use.request); });
  const auto repeated = std::ranges::unique(uses, {}, &PageUse::page);
  uses.erase(repeated.begin(), repeated.end());
  return uses;
}

} // namespace

PageAssignment assign_pages(const Problem& problem) {
  PageAssignment result;
  if (problem.page_order == PageOrder::lru) {
    ChurnedPages churned = churn(problem);
    result.of_request = std::move(churned.of_request);
    result.pool_pages = churned.pool_pages;
  } else {
    result.of_request = first_use_order(problem);
  }
  result.used = uses_of(problem, result.of_request);
  result.pool_pages =
      std::max(result.pool_pages, static_cast<int64_t>(result.used.size()) + problem.spare_pages);
  if (problem.page_order == PageOrder::shuffled) {
    const auto ids = permutation(result.pool_pages, problem.seed);
    for (auto& list : result.of_request)
      for (int32_t& page : list) page = ids[page];
    for (PageUse& use : result.used) use.page = ids[use.page];
    std::ranges::sort(result.used, {}, &PageUse::page);
  }
  return result;
}

} // namespace fmha950::workload
