#include "harness/cases/case_selection.hpp"
#include "interface/case_string.hpp"
#include "interface/operator.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "operators/merge/merge_form.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "workload/trace.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace fmha950;

TEST_CASE("seed-table: per tensor and by page, each row of the table at full size") {
  std::multiset<std::tuple<Quantisation, int, int, int>> rows; // quantisation, page, heads, length
  for (const std::string& line : harness::read_case_list("seed-table")) {
    const Problem problem = parse_case(line);
    REQUIRE(problem.requests.size() == 1);
    CHECK(problem.requests[0].query_length == problem.requests[0].key_length);
    CHECK(problem.causal == (problem.query_heads != 40));
    CHECK(problem.kv_heads == (problem.query_heads == 40 ? 40 : 1));
    CHECK(problem.query_type == ElementType::fp8);
    rows.emplace(problem.quantisation, problem.page_size, problem.query_heads,
                 problem.requests[0].key_length);
  }
  decltype(rows) expected;
  for (const auto& [quantisation, page] :
       {std::pair(Quantisation::per_tensor, 1), std::pair(Quantisation::page, 1024)}) {
    for (int length = 1024; length <= 131072; length *= 2) expected.emplace(quantisation, page, 6, length);
    expected.emplace(quantisation, page, 16, 65536);
    expected.emplace(quantisation, page, 40, 37888);
  }
  CHECK(rows == expected);
}

TEST_CASE("pipelined-grid: every quantisation, page size, table, mode, mask and ratio of heads") {
  std::set<int> pages, ratios;
  std::set<std::tuple<Quantisation, PageTable, bool, bool, bool>> forms; // paged, causal, capped
  size_t batch_mode = 0, lse = 0;
  const auto lines = harness::read_case_list("pipelined-grid");
  CHECK(lines.size() >= 600);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    pages.insert(p.page_size);
    ratios.insert(p.heads_per_kv_head());
    forms.emplace(p.quantisation, p.page_table, p.paged, p.causal, p.soft_cap > 0);
    batch_mode += p.mode == BatchMode::batch;
    lse += p.lse;
    INFO(line);
    CHECK((p.quantisation != Quantisation::page || p.page_size >= 64));
  }
  CHECK(pages == std::set{1, 16, 32, 64, 128, 1024});
  CHECK(ratios == std::set{1, 2, 3, 5, 6, 7, 8, 16, 40});
  CHECK(forms.size() == 3 * 16); // each with every other
  CHECK(batch_mode > 50);
  CHECK(lse < lines.size());
}

TEST_CASE("pipelined-grid and baseline-grid hold aiter's lengths and batches, quantised and not at all or by "
          "page") {
  const std::string list = GENERATE(as<std::string>(), "pipelined-grid", "baseline-grid");
  const auto [heads, query, key] =
      GENERATE(table<std::string, std::string, std::string>({{"", "128", "128"},
                                                             {"", "1023", "1024"},
                                                             {"", "1024", "1023"},
                                                             {"", "2048", "2048"},
                                                             {"40:40", "", ""}}));
  CAPTURE(list, heads, query, key);
  std::set<Quantisation> quantisations;
  for (const std::string& line : harness::read_case_list(list)) {
    const Problem problem = parse_case(line);
    const bool ragged = heads == "40:40" && problem.kv_heads == 40 && problem.requests.size() == 7;
    if (ragged || (heads.empty() && line.find("/sq=" + query + "/sk=" + key + "/") != std::string::npos))
      quantisations.insert(problem.quantisation);
  }
  CHECK(quantisations.size() >= 2);
}

TEST_CASE(
    "sink-grid: sinks and none beside every mask, length, window, type, head_dim and form of the pool") {
  std::set<std::tuple<int, int, bool>> masks; // keys, window with the query's own or 0, causal
  std::set<std::tuple<ElementType, Quantisation, int, bool>> types; // head_dim, LSE
  std::set<std::tuple<PageTable, KvLayout, int>> pools;
  std::set<int> sinks, ratios;
  size_t chunked = 0, batches = 0, capped = 0, logits = 0, both = 0;
  // Windows shorter than a tile of 64 keys; sinks that end in a tile, meet the window, end in the tile that
  // it begins in, outnumber the keys; queries among the sinks, which have keys after them.
  size_t short_windows = 0, in_a_tile = 0, meet = 0, short_gaps = 0, outnumber = 0, among = 0;
  const auto lines = harness::read_case_list("sink-grid");
  CHECK(lines.size() >= 400);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    INFO(line);
    CHECK(print_case(p) == line);
    masks.emplace(p.requests[0].key_length, p.window ? p.window->left + 1 : 0, p.causal);
    types.emplace(p.kv_type, p.quantisation, p.head_dim, p.lse);
    pools.emplace(p.page_table, p.kv_layout, p.page_size);
    sinks.insert(p.sink_tokens);
    ratios.insert(p.heads_per_kv_head());
    chunked += p.requests[0].query_length < p.requests[0].key_length;
    batches += p.requests.size() >= 32;
    capped += p.soft_cap != 0;
    logits += p.sink_logit;
    both += p.sink_logit && p.sink_tokens > 0;
    if (p.sink_tokens == 0 || !p.window) continue;
    short_windows += p.window->left < 64;
    in_a_tile += p.sink_tokens % 64 != 0;
    for (const Request& request : p.requests)
      for (int row = 0; row < request.query_length; ++row) {
        const int key = request.key_length - request.query_length + row, begin = key - p.window->left;
        meet += begin == p.sink_tokens;
        short_gaps += begin > p.sink_tokens && begin / 64 == p.sink_tokens / 64;
        among += key >= 0 && key < p.sink_tokens && key + 1 < request.key_length;
        outnumber += row == 0 && request.key_length > 0 && p.sink_tokens > request.key_length;
      }
  }
  for (const int keys : {512, 1024, 2048, 4096})
    for (const auto& [window, causal] :
         {std::pair(0, false), {0, true}, {32, true}, {256, true}, {512, true}, {1024, true}})
      CHECK(masks.contains({keys, window, causal}));
  CHECK(types.size() == 4 * 3 * 2);
  CHECK(pools.size() == 2 * (6 + 5));
  for (const int number : {0, 1, 2, 4, 8, 16, 31, 63, 64, 65, 100, 128}) CHECK(sinks.contains(number));
  CHECK(ratios == std::set{1, 2, 4, 6, 8});
  for (const size_t count :
       {chunked, batches, capped, logits, both, short_windows, in_a_tile, meet, short_gaps, outnumber, among})
    CHECK(count >= 10);
}

TEST_CASE("mixed-grid: every quantisation, head_dim and form of the pool under queries in bf16 and fp16") {
  std::set<std::tuple<ElementType, Quantisation, int, KvLayout, int>>
      forms; // of queries; head_dim, page size
  std::set<std::pair<int, int>> heads;
  size_t windows = 0, sinks = 0, logits = 0, capped = 0, strided = 0, consecutive = 0, gpt_oss = 0;
  const auto lines = harness::read_case_list("mixed-grid");
  CHECK(lines.size() >= 260);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    INFO(line);
    CHECK(print_case(p) == line);
    CHECK(p.kv_type == ElementType::fp8);
    CHECK(p.query_type == p.output_type);
    forms.emplace(p.query_type, p.quantisation, p.head_dim, p.kv_layout, p.page_size);
    heads.emplace(p.query_heads, p.kv_heads);
    windows += p.window.has_value();
    sinks += p.sink_tokens > 0;
    logits += p.sink_logit;
    capped += p.soft_cap != 0;
    strided += p.strided;
    consecutive += !p.paged;
    gpt_oss += p.query_heads == 64 && p.kv_heads == 8 && p.head_dim == 64 && p.sink_logit && p.window &&
               p.window->left == 127;
  }
  CHECK(forms.size() == 2 * 3 * 3 * 11);
  for (const auto& of_model : {std::pair(64, 8), {32, 8}, {64, 4}, {96, 8}, {32, 2}, {28, 4}, {9, 3}})
    CHECK(heads.contains(of_model));
  for (const size_t count : {windows, sinks, logits, capped, strided, consecutive}) CHECK(count >= 20);
  CHECK(gpt_oss >= 4);
}

TEST_CASE("page-grid: every new page size in both layouts, 544 under every type and head_dim") {
  std::set<std::pair<int, KvLayout>> pages;
  std::set<std::tuple<ElementType, ElementType, Quantisation, KvLayout, int>> of_544; // head_dim
  const auto lines = harness::read_case_list("page-grid");
  CHECK(lines.size() >= 200);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    INFO(line);
    CHECK(print_case(p) == line);
    CHECK_NOTHROW(validate_problem(p));
    pages.emplace(p.page_size, p.kv_layout);
    if (p.page_size == 544) of_544.emplace(p.query_type, p.kv_type, p.quantisation, p.kv_layout, p.head_dim);
  }
  CHECK(pages.size() == 2 * (64 - 5)); // 16, 32, 64, 128 and 1,024 were there before
  CHECK(of_544.size() >= 8 * 2 * 3);
}

TEST_CASE("tree-grid: trees of every form at every place of tiles, pages and windows") {
  std::set<std::tuple<ElementType, ElementType, Quantisation, int>> forms; // head_dim
  std::set<int> places, page_sizes; // of a tree's first key in its tile
  std::set<KvLayout> layouts;
  size_t verify = 0, prefill = 0, short_queries = 0, short_keys = 0, windows = 0, sinks = 0, two_tiles = 0,
         two_pages = 0, ragged = 0, packed = 0;
  const auto lines = harness::read_case_list("tree-grid");
  CHECK(lines.size() >= 60);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    INFO(line);
    CHECK(print_case(p) == line);
    CHECK_NOTHROW(validate_problem(p));
    CHECK(p.tree_nodes > 0);
    forms.emplace(p.query_type, p.kv_type, p.quantisation, p.head_dim);
    page_sizes.insert(p.page_size);
    layouts.insert(p.kv_layout);
    windows += p.window.has_value();
    sinks += p.sink_tokens > 0;
    ragged += p.requests.size() > 2;
    for (const Request& request : p.requests) {
      const int nodes = p.tree_nodes_of(request), first = request.key_length - nodes;
      if (nodes == 0) continue;
      places.insert(first % 64);
      two_tiles += first / 64 != (request.key_length - 1) / 64;
      two_pages += first / p.page_size != (request.key_length - 1) / p.page_size;
      verify += request.query_length == p.tree_nodes;
      prefill += request.query_length > p.tree_nodes;
      short_queries += request.query_length < p.tree_nodes;
      short_keys += request.key_length < std::min(p.tree_nodes, request.query_length);
      packed += p.heads_per_kv_head() > 1 && nodes * p.heads_per_kv_head() > 128;
    }
  }
  CHECK(forms.size() == 2 * 3 + 4);
  CHECK(page_sizes == std::set<int>{1, 16, 32, 48, 64, 128, 544, 1024});
  CHECK(layouts.size() == 3);
  CHECK(places.size() >= 20);
  for (const size_t count : {verify, prefill, short_queries, windows, sinks, two_tiles, two_pages, packed})
    CHECK(count >= 10);
  CHECK(short_keys >= 1);
  CHECK(ragged >= 10);
}

TEST_CASE("layout-grid: every page size, type and head_dim of HND and of K and V in one pool") {
  std::set<std::tuple<KvLayout, bool, int>> pools; // interleaved, page size
  std::set<std::tuple<ElementType, ElementType, Quantisation, KvLayout, bool, int>> forms; // head_dim
  size_t windows = 0, sinks = 0, logits = 0, capped = 0, consecutive = 0, lru = 0, vllm = 0, heads = 0;
  const auto lines = harness::read_case_list("layout-grid");
  CHECK(lines.size() >= 200);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    INFO(line);
    CHECK(print_case(p) == line);
    CHECK_NOTHROW(validate_problem(p));
    CHECK((p.kv_layout == KvLayout::hnd || p.interleaved));
    pools.emplace(p.kv_layout, p.interleaved, p.page_size);
    forms.emplace(p.query_type, p.kv_type, p.quantisation, p.kv_layout, p.interleaved, p.head_dim);
    windows += p.window.has_value();
    sinks += p.sink_tokens > 0;
    logits += p.sink_logit;
    capped += p.soft_cap != 0;
    consecutive += !p.paged;
    lru += p.page_order == PageOrder::lru;
    vllm += p.page_table == PageTable::vllm;
    heads += p.kv_heads > 1; // with one head HND is LINEAR
  }
  CHECK(pools.size() == 4 * 8 - 1); // no VECTORIZED pages of one token
  CHECK(forms.size() >= 8 * 3 * 3);
  for (const size_t count : {windows, sinks, logits, capped, consecutive, lru, vllm}) CHECK(count >= 15);
  CHECK(heads >= 150);
}

TEST_CASE("mla-grid: every type, quantisation, layout and mask with 192 columns in Q and K") {
  std::set<std::tuple<ElementType, ElementType, Quantisation, KvLayout>> forms; // of Q, of K and V
  std::set<std::pair<int, int>> heads;
  std::set<int> pages;
  size_t windows = 0, sinks = 0, logits = 0, capped = 0, strided = 0, consecutive = 0, lru = 0, vllm = 0;
  const auto lines = harness::read_case_list("mla-grid");
  CHECK(lines.size() >= 160);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    INFO(line);
    CHECK(print_case(p) == line);
    CHECK_NOTHROW(validate_problem(p));
    CHECK((p.head_dim == 192 && p.value_head_dim == 128));
    forms.emplace(p.query_type, p.kv_type, p.quantisation, p.kv_layout);
    heads.emplace(p.query_heads, p.kv_heads);
    pages.insert(p.page_size);
    windows += p.window.has_value();
    sinks += p.sink_tokens > 0;
    logits += p.sink_logit;
    capped += p.soft_cap != 0;
    strided += p.strided;
    consecutive += !p.paged;
    lru += p.page_order == PageOrder::lru;
    vllm += p.page_table == PageTable::vllm;
  }
  CHECK(forms.size() >= 9 * 3);
  for (const auto& of_model : {std::pair(128, 128), {64, 4}, {64, 8}}) CHECK(heads.contains(of_model));
  for (const int page : {1, 16, 32, 48, 64, 128, 544, 1024}) CHECK(pages.contains(page));
  for (const size_t count : {windows, sinks, logits, capped, strided, consecutive, lru, vllm})
    CHECK(count >= 12);
}

TEST_CASE("deterministic-grid: every form of keys, with requests that are split and that are not, alone and "
          "mixed") {
  std::set<std::tuple<ElementType, ElementType, Quantisation, KvLayout, int>>
      forms; // of Q, of K and V; page size
  size_t whole = 0, mixed = 0, consecutive = 0, windows = 0, appends = 0, empty = 0;
  const auto lines = harness::read_case_list("deterministic-grid");
  CHECK(lines.size() >= 60);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    INFO(line);
    CHECK(print_case(p) == line);
    CHECK(p.batch_invariant);
    CHECK(p.requests.size() > 1);
    CHECK_NOTHROW(validate_problem(p));
    forms.emplace(p.query_type, p.kv_type, p.quantisation, p.kv_layout, p.page_size);
    const auto is_long = [](const Request& request) { return request.key_length >= 2048; };
    ++(std::ranges::any_of(p.requests, is_long) ? mixed : whole); // some requests of each list are short
    consecutive += !p.paged;
    windows += p.window.has_value();
    appends += p.op == append_prefill;
    empty += std::ranges::any_of(p.requests, [](const Request& r) { return r.query_length == 0; });
  }
  CHECK(forms.size() >= 13);
  CHECK((mixed >= 40 && whole >= 8));
  for (const size_t count : {consecutive, windows, appends, empty}) CHECK(count >= 4);
}

TEST_CASE("fused-grid: every quantisation with every page size, table and mask") {
  std::set<std::tuple<Quantisation, int, PageTable, bool>> forms; // page size, causal
  std::set<int> ratios;
  const auto lines = harness::read_case_list("fused-grid");
  CHECK(lines.size() >= 300);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    forms.emplace(p.quantisation, p.page_size, p.page_table, p.causal);
    ratios.insert(p.heads_per_kv_head());
  }
  CHECK(forms.size() == (4 + 6 + 6 + 3) * 4); // none, per tensor, MX, by page
  CHECK(ratios == std::set{1, 2, 3, 5, 6, 7, 8, 16, 40});
}

TEST_CASE(
    "sparse-matrix: every form of rows with all kinds of lists and numbers of heads, in four shapes each") {
  std::map<std::tuple<ElementType, RowFormat, ListKind, int>, std::set<std::tuple<int, int, int>>> shapes;
  size_t sinks = 0, lse = 0;
  const auto lines = harness::read_case_list("sparse-matrix");
  CHECK(lines.size() >= 144);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    const SparseLists& lists = *sparse_lists(p);
    shapes[{p.kv_type, row_format(p), lists.kind, p.query_heads}].emplace(lists.tokens, lists.pool_rows,
                                                                          lists.chunk_rows);
    sinks += p.sink_logit;
    lse += p.lse;
  }
  CHECK(shapes.size() == 3 * 4 * 4); // kinds of lists: with given lengths too
  for (const auto& [form, of_form] : shapes)
    CHECK(of_form.size() == (std::get<ListKind>(form) == ListKind::lengths ? 1 : 4));
  CHECK((sinks > 60 && sinks < lines.size() - 20));
  CHECK((lse > 60 && lse < lines.size() - 20));
}

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

TEST_CASE("every line of every case list is a valid problem and another case than the others") {
  const auto names = harness::case_list_names();
  CHECK(std::find(names.begin(), names.end(), "demo") != names.end());
  for (const std::string& name : names) {
    std::set<std::string> seen;
    for (const std::string& line : harness::read_case_list(name)) {
      INFO(name << ": " << line);
      Problem problem = parse_case(line);
      CHECK(seen.insert(print_case(problem)).second);
      workload::resolve_trace(problem);
      CHECK_NOTHROW(validate_problem(problem));
    }
  }
}

TEST_CASE(
    "merge-grid: each type of parts and output in each layout and base; every head_dim, few parts and many") {
  std::set<std::tuple<ElementType, ElementType, PartLayout, LseBase>> forms;
  std::set<int> parts, columns;
  size_t empty = 0, all_empty = 0, lse = 0, no_token = 0;
  const auto lines = harness::read_case_list("merge-grid");
  CHECK(lines.size() >= 180);
  for (const std::string& line : lines) {
    const Problem p = parse_case(line);
    INFO(line);
    CHECK(print_case(p) == line);
    CHECK_NOTHROW(validate_problem(p));
    const MergeForm& form = *merge_form(p);
    forms.emplace(p.kv_type, p.output_type, form.layout, form.base);
    parts.insert(form.parts);
    columns.insert(p.head_dim);
    empty += form.empty_percent > 0 && form.empty_percent < 100;
    all_empty += form.empty_percent == 100;
    lse += p.lse;
    no_token += p.total_queries() == 0;
  }
  CHECK(forms.size() == 5 * 3 * 2);
  for (int few = 1; few <= 17; ++few) CHECK(parts.contains(few));
  CHECK(parts.contains(most_parts));
  for (const int head_dim : {64, 128, 192, 256, 512}) CHECK(columns.contains(head_dim));
  CHECK(empty > 50);
  CHECK(all_empty == 1);
  CHECK(no_token == 1);
  CHECK(lse < lines.size());
}
