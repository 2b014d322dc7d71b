#include "interface/error.hpp"
#include "workload/page_assignment.hpp"
#include "workload/serving_model.hpp"
#include "workload/trace.hpp"

#include "tests/support/catch.hpp"

#include <cmath>
#include <numeric>
#include <set>

using namespace fmha950;
using namespace fmha950::workload;

namespace {

struct Figures { // as data/STATS.md section 4 names them
  double pages_per_request, cached, next_up, next_down, shared;
};

Figures measure(const std::string& trace, size_t warm, int page_size, FreeOrder order) {
  std::vector<Prompt> prompts;
  for (const TraceRow& row : load_trace(trace))
    prompts.push_back({row.input_length, row.output_length, page_keys(row, 1, page_size)});
  const auto pool =
      static_cast<int64_t>(std::ceil(1.25 * static_cast<double>(peak_live_pages(prompts, page_size, 64))));
  ServingModel model(pool, page_size, 64, order);
  double pages = 0, cached = 0, pairs = 0, up = 0, down = 0, entries = 0, shared = 0;
  for (size_t i = 0; i < prompts.size(); ++i) {
    const auto admission = model.arrive(prompts[i]);
    if (i < warm) continue;
    const auto& list = admission.pages;
    pages += static_cast<double>(list.size());
    cached += admission.cached;
    for (size_t p = 1; p < list.size(); ++p) {
      up += list[p] == list[p - 1] + 1;
      down += list[p] == list[p - 1] - 1;
    }
    pairs += static_cast<double>(list.size() - 1);
    for (const auto& prompt : model.live_prompts())
      for (int32_t page : prompt) shared += model.allocator().references(page) >= 2;
    for (const auto& prompt : model.live_prompts()) entries += static_cast<double>(prompt.size());
  }
  const auto requests = static_cast<double>(prompts.size() - warm);
  return {pages / requests, cached / pages, up / pairs, down / pairs, shared / entries};
}

} // namespace

// The figures were computed by another program; what it leaves open (when within an arrival decoded pages are
// taken, what the peak counts) is worth the tolerances below.
TEST_CASE("the aged pool is as fragmented and as shared as data/STATS.md section 4 says") {
  const auto synthetic_tail = measure("synthetic", 300, 64, FreeOrder::tail_first);
  CHECK(synthetic_tail.pages_per_request == Approx(179.0).margin(0.1));
  CHECK(synthetic_tail.cached == Approx(0.028).margin(0.003));
  CHECK(synthetic_tail.next_up == Approx(0.433).margin(0.02));
  CHECK(synthetic_tail.next_down == Approx(0.461).margin(0.02));
  CHECK(synthetic_tail.shared == Approx(0.007).margin(0.002));
  const auto synthetic_head = measure("synthetic", 300, 64, FreeOrder::head_first);
  CHECK(synthetic_head.next_up == Approx(0.896).margin(0.02));
  CHECK(synthetic_head.next_down == Approx(0.0).margin(0.001));

  const auto tools = measure("toolagent", 100, 64, FreeOrder::head_first);
  CHECK(tools.pages_per_request == Approx(148.5).margin(0.1));
  CHECK(tools.cached == Approx(0.321).margin(0.003));
  CHECK(tools.next_up == Approx(0.971).margin(0.02));
  CHECK(tools.shared == Approx(0.332).margin(0.02));
  // The trace is short, so pages never used before still make some runs ascend.
  const auto tools_tail = measure("toolagent", 100, 64, FreeOrder::tail_first);
  CHECK(tools_tail.next_up == Approx(0.559).margin(0.10));
  CHECK(tools_tail.next_down == Approx(0.410).margin(0.10));
}

TEST_CASE("the allocator shares cached prefixes, evicts the least recently freed, and says when it is full") {
  PagedAllocator allocator(4, FreeOrder::tail_first);
  const std::vector<PageKey> keys{11, 12};
  const auto first = allocator.admit(keys, 3);
  CHECK(first.pages == std::vector<int32_t>{0, 1, 2});
  CHECK(first.cached == 0);
  const auto second = allocator.admit(keys, 3);
  CHECK(second.pages == std::vector<int32_t>{0, 1, 3});
  CHECK(second.cached == 2);
  CHECK(allocator.references(0) == 2);
  CHECK(allocator.live_pages() == 4);
  CHECK_THROWS_WITH(allocator.append(), "page pool = 4 pages: all are in use, none is left");

  allocator.release(first.pages); // frees only page 2, the others still have a user
  CHECK(allocator.live_pages() == 3);
  CHECK(allocator.append() == 2);
  allocator.release(second.pages); // queue: 3, 1, 0
  CHECK(allocator.append() == 3);
  const auto third = allocator.admit(keys, 2); // freed pages keep their content
  CHECK(third.pages == std::vector<int32_t>{0, 1});
  CHECK(third.cached == 2);
}

TEST_CASE("paged=0: pages consecutive from request to request, none shared, spare ones behind") {
  Problem problem;
  problem.trace = TraceSlice{"toolagent", 100, 16, 64}; // has shared prefixes
  resolve_trace(problem);
  const auto distinct = [&] { return assign_pages(problem).used.size(); };
  const size_t shared = distinct();
  problem.paged = false;
  problem.spare_pages = 5;
  const PageAssignment pages = assign_pages(problem);
  CHECK(distinct() > shared);
  int32_t next = 0;
  for (size_t b = 0; b < problem.requests.size(); ++b) {
    CHECK(pages.of_request[b].size() == static_cast<size_t>(problem.pages_of(problem.requests[b])));
    for (const int32_t page : pages.of_request[b]) CHECK(page == next++);
  }
  CHECK(pages.pool_pages == next + 5);
  CHECK(pages.used.back().page == next - 1);
}

TEST_CASE("page orders: a permutation, ascending, or the allocator's") {
  Problem problem;
  problem.requests = {{16, 1000}, {16, 500}, {0, 0}};
  problem.spare_pages = 20;
  const auto ids = [&](PageOrder order) {
    problem.page_order = order;
    const PageAssignment pages = assign_pages(problem);
    std::vector<int32_t> all;
    for (const auto& list : pages.of_request) all.insert(all.end(), list.begin(), list.end());
    CHECK(std::set(all.begin(), all.end()).size() == 63 + 32);
    CHECK(*std::max_element(all.begin(), all.end()) < pages.pool_pages);
    CHECK(pages.used.size() == all.size());
    CHECK(pages.pool_pages >= 63 + 32 + 20);
    return all;
  };
  const auto shuffled = ids(PageOrder::shuffled);
  CHECK_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
  CHECK(shuffled == ids(PageOrder::shuffled));
  std::vector<int32_t> ascending(63 + 32);
  std::iota(ascending.begin(), ascending.end(), 0);
  CHECK(ids(PageOrder::sequential) == ascending);
  const auto lru = ids(PageOrder::lru);
  CHECK_FALSE(std::is_sorted(lru.begin(), lru.end()));
  problem.seed = 2;
  CHECK(shuffled != ids(PageOrder::shuffled));
}

TEST_CASE("requests of a trace share the pages of their common prefixes") {
  for (PageOrder order : {PageOrder::shuffled, PageOrder::lru}) {
    Problem problem;
    problem.trace = TraceSlice{"toolagent", 100, 64, 4};
    problem.page_order = order;
    resolve_trace(problem);
    const PageAssignment pages = assign_pages(problem);
    double entries = 0;
    std::vector<int> users(pages.pool_pages);
    for (const auto& list : pages.of_request)
      for (int32_t page : list) ++users[page], ++entries;
    double shared = 0;
    for (int count : users) shared += count >= 2 ? count : 0;
    CHECK(shared / entries == Approx(0.32).margin(0.08)); // STATS.md section 3: a mean of such windows
    for (const PageUse& use : pages.used)
      if (users[use.page] > 1) CHECK(use.tokens == problem.page_size); // only full pages are shared
  }
}
