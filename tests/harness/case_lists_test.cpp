#include "harness/cases/case_selection.hpp"
#include "interface/case_string.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/merge/merge_form.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "workload/trace.hpp"

#include "tests/harness/mask_counts.hpp"
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
  test::MaskCounts masks;
  size_t strided = 0, gpt_oss = 0;
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
    masks.add(p);
    strided += p.strided;
    gpt_oss += p.query_heads == 64 && p.kv_heads == 8 && p.head_dim == 64 && p.sink_logit && p.window &&
               p.window->left == 127;
  }
  CHECK(forms.size() == 2 * 3 * 3 * 11);
  for (const auto& of_model : {std::pair(64, 8), {32, 8}, {64, 4}, {96, 8}, {32, 2}, {28, 4}, {9, 3}})
    CHECK(heads.contains(of_model));
  for (const size_t count : {masks.least(), strided}) CHECK(count >= 20);
  CHECK(gpt_oss >= 4);
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
