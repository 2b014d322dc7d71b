#include "workload/page_assignment.hpp"

#include "interface/error.hpp"
#include "workload/page_churn.hpp"
#include "workload/philox.hpp"
#include "workload/trace.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace fmha950::workload {
namespace {

// Page ids as if the pool were filled in order of first use;
// with tables, full pages with equal keys are one page.
std::vector<std::vector<int32_t>> first_use_order(const Problem& problem) {
  std::vector<std::vector<int32_t>> of_request;
  std::unordered_map<PageKey, int32_t> shared;
  int32_t next = 0;
  const auto keys = page_keys(problem);
  for (size_t b = 0; b < problem.requests.size(); ++b) {
    auto& list = of_request.emplace_back();
    for (int p = 0; p < problem.pages_of(problem.requests[b]); ++p) {
      const bool shareable = problem.paged && static_cast<size_t>(p) < keys[b].size();
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
  // If a page has several users, the first one owns it; it is filled for the one that needs most.
  std::ranges::sort(uses, {},
                    [](const PageUse& use) { return std::tuple(use.page, use.request, use.first_token); });
  std::vector<PageUse> once;
  for (const PageUse& use : uses) {
    if (once.empty() || once.back().page != use.page)
      once.push_back(use);
    else
      once.back().tokens = std::max(once.back().tokens, use.tokens);
  }
  return once;
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
  if (problem.paged && problem.page_order == PageOrder::shuffled) {
    const auto ids = permutation(result.pool_pages, problem.seed);
    for (auto& list : result.of_request)
      for (int32_t& page : list) page = ids[page];
    for (PageUse& use : result.used) use.page = ids[use.page];
    std::ranges::sort(result.used, {}, &PageUse::page);
  }
  return result;
}

PageAssignment assign_given_pages(const Problem& problem, std::vector<std::vector<int32_t>> of_request,
                                  int64_t pool_pages) {
  if (of_request.size() != problem.requests.size())
    throw InvalidInput("pages", fmt::format("lists for {} requests", of_request.size()),
                       fmt::format("must be one list for each of {} requests", problem.requests.size()));
  for (size_t b = 0; b < of_request.size(); ++b) {
    const auto needed = static_cast<size_t>(problem.pages_of(problem.requests[b]));
    if (of_request[b].size() != needed)
      throw InvalidInput(fmt::format("pages[{}]", b), fmt::format("{} pages", of_request[b].size()),
                         fmt::format("must be {} for {} keys", needed, problem.requests[b].key_length));
    for (const int32_t page : of_request[b])
      if (page < 0 || page >= pool_pages)
        throw InvalidInput(fmt::format("pages[{}]", b), std::to_string(page),
                           fmt::format("must be a page of the pool, 0 to {}", pool_pages - 1));
  }
  PageAssignment result{pool_pages, std::move(of_request), {}};
  result.used = uses_of(problem, result.of_request);
  return result;
}

void fill_unnamed_pages(const Problem& problem, std::span<const int32_t> unnamed, PageAssignment& pages) {
  for (const int32_t page : unnamed) {
    const auto place = std::ranges::lower_bound(pages.used, page, {}, &PageUse::page);
    if (place == pages.used.end() || place->page != page)
      pages.used.insert(place, {page, -1, page * problem.page_size, problem.page_size});
  }
}

} // namespace fmha950::workload
