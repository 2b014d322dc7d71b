// Case lists of append_prefill: that they hold what their names promise.
#include "harness/cases/case_selection.hpp"
#include "interface/case_string.hpp"
#include "interface/operator.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/append_prefill/rotary.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>
#include <tuple>

using namespace fmha950;

TEST_CASE(
    "append-grid: every type, head_dim, page size, table and mask, old lengths at their boundaries, calls") {
  std::set<std::tuple<ElementType, int, int, PageTable, bool>> forms; // type, head_dim, page size, causal
  std::set<std::pair<int, int>> old;                                  // page size, old length
  std::set<int> calls, calls_of_traces, ratios;
  size_t traces = 0, empty_chunks = 0, lse = 0;
  const auto lines = harness::read_case_list("append-grid");
  CHECK(lines.size() >= 250);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    REQUIRE(p.op == append_prefill);
    forms.emplace(p.query_type, p.head_dim, p.page_size, p.page_table, p.causal);
    calls.insert(p.calls);
    ratios.insert(p.heads_per_kv_head());
    traces += p.trace.has_value();
    if (p.trace) calls_of_traces.insert(p.calls);
    lse += p.lse;
    for (const Request& request : p.requests) {
      old.emplace(p.page_size, request.key_length - request.query_length);
      empty_chunks += request.query_length == 0;
    }
  }
  CHECK(forms.size() == 2 * 2 * 6 * 2 * 2);
  for (const int page : {1, 16, 32, 64, 128, 1024})
    for (const int length : {0, 1, page - 1, page, page + 1}) CHECK(old.contains({page, length}));
  for (const int tile : {64, 128, 192, 256})
    for (const int length : {tile - 1, tile, tile + 1})
      CHECK((length > 256 || std::ranges::any_of(old, [=](const auto& o) { return o.second == length; })));
  CHECK(ratios == std::set{1, 2, 3, 4, 5, 7, 8, 16});
  CHECK(*calls.rbegin() == 40);
  CHECK(calls.size() >= 8);
  CHECK(traces >= 10);
  CHECK((calls_of_traces.contains(2) && calls_of_traces.contains(40)));
  CHECK(empty_chunks >= 10);
  CHECK((lse > 100 && lse < lines.size() - 20));
}

TEST_CASE("append-grid: windows, sinks and both with a sink logit, prefixes of 32,768 tokens and more") {
  size_t windows = 0, sinks = 0, logits = 0, reach_the_chunk = 0, long_prefixes = 0, windows_of_long = 0;
  for (const std::string& line : harness::read_case_list("append-grid")) {
    const Problem p = parse_case(line);
    const bool is_long = !p.requests.empty() && old_tokens(p, p.requests[0]) >= 32768;
    long_prefixes += is_long;
    if (!p.window) continue;
    ++windows;
    windows_of_long += is_long;
    sinks += p.sink_tokens > 0;
    logits += p.sink_tokens > 0 && p.sink_logit;
    for (const Request& request : p.requests) reach_the_chunk += p.sink_tokens > old_tokens(p, request);
  }
  CHECK(windows >= 60);
  CHECK(sinks >= 30);
  CHECK(logits >= 10);
  CHECK(reach_the_chunk >= 5);
  CHECK(long_prefixes >= 30);
  CHECK(windows_of_long >= 20);
}

TEST_CASE("rope-grid: pairs, whole and partial embeddings, types, head_dim, masks, calls, long prefixes") {
  std::set<std::tuple<std::string, ElementType, int>> forms;
  std::set<int> calls;
  size_t windows = 0, fresh = 0, long_prefixes = 0, lines = 0;
  for (const std::string& line : harness::read_case_list("rope-grid")) {
    ++lines;
    const Problem p = parse_case(line);
    REQUIRE(rotary_embedding(p) != nullptr);
    forms.emplace(rotary_embedding(p)->text(), p.query_type, p.head_dim);
    calls.insert(p.calls);
    windows += p.window.has_value();
    for (const Request& request : p.requests) {
      fresh += request.query_length > 0 && old_tokens(p, request) == 0;
      long_prefixes += old_tokens(p, request) >= 32768;
    }
  }
  CHECK(lines >= 60);
  CHECK(forms.size() == 2 * 2 * (4 + 6));
  CHECK(calls == std::set{1, 2, 5});
  CHECK(windows >= 20);
  CHECK(fresh >= 10);
  CHECK(long_prefixes >= 4);
}
