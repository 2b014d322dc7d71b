#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <random>

using namespace fmha950;

namespace {

// Any value of any field that a case string of batch_prefill can say, valid as a problem or not.
Problem random_paged_problem(std::mt19937& random) {
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  const auto coin = [&] { return below(2) == 1; };
  const auto any_float = [&] { return std::uniform_real_distribution<float>(0, 3)(random); };
  Problem p;
  p.query_heads = 1 + below(128);
  p.kv_heads = 1 + below(16);
  p.head_dim = 1 + below(512);
  if (below(4) == 0) p.value_head_dim = p.head_dim + 1 + below(9);
  const int common_query = below(5000), common_key = below(200000);
  const bool same_queries = coin(), same_keys = coin();
  if (below(5) == 0)
    p.trace = TraceSlice{"mooncake_conversation", below(1000), 1 + below(50), 1 + below(3)};
  else
    for (int i = 1 + below(4); i > 0; --i)
      p.requests.push_back({same_queries ? common_query : below(300), same_keys ? common_key : below(300)});
  for (ElementType* type : {&p.query_type, &p.kv_type, &p.output_type})
    *type = static_cast<ElementType>(below(3));
  p.quantisation = static_cast<Quantisation>(below(4));
  p.page_table = static_cast<PageTable>(below(2));
  p.kv_layout = static_cast<KvLayout>(below(3));
  p.page_size = 1 << below(11);
  p.paged = coin();
  p.strided = coin();
  p.interleaved = coin();
  p.mode = static_cast<BatchMode>(below(2));
  p.causal = coin();
  if (coin()) p.window = Window{below(4096), below(10)};
  p.sink_tokens = coin() ? below(200) : 0;
  p.tree_nodes = coin() ? below(65) : 0;
  p.sink_logit = coin();
  p.soft_cap = coin() ? any_float() : 0;
  p.lse = coin();
  p.batch_invariant = coin();
  if (coin()) p.scale = any_float();
  p.page_order = static_cast<PageOrder>(below(3));
  p.spare_pages = below(6);
  if (coin()) p.values = "activations:L10+pow2";
  p.seed = coin() ? (uint64_t(random()) << 32 | random()) : 1;
  return p;
}

// Likewise of append_prefill, with the fields that it has.
Problem random_append_problem(std::mt19937& random) {
  const Problem paged = random_paged_problem(random);
  Problem p;
  p.op = append_prefill;
  p.kv_type = ElementType::fp8;
  p.quantisation = Quantisation::per_tensor;
  p.query_heads = paged.query_heads;
  p.kv_heads = paged.kv_heads;
  p.head_dim = paged.head_dim;
  p.value_head_dim = paged.value_head_dim;
  p.trace = paged.trace;
  p.requests = paged.requests;
  p.query_type = p.output_type = random() % 2 == 0 ? ElementType::bf16 : ElementType::fp16;
  p.page_table = paged.page_table;
  p.page_size = paged.page_size;
  p.mode = paged.mode;
  p.causal = paged.causal;
  p.window = paged.window;
  p.sink_tokens = paged.sink_tokens;
  p.sink_logit = paged.sink_logit;
  p.soft_cap = paged.soft_cap;
  p.lse = paged.lse;
  p.batch_invariant = paged.batch_invariant;
  p.scale = paged.scale;
  p.page_order = paged.page_order;
  p.spare_pages = paged.spare_pages;
  p.values = paged.values;
  p.seed = paged.seed;
  p.calls = 1 + static_cast<int>(random() % 40);
  if (random() % 2 == 0)
    p.own = RotaryEmbedding{random() % 2 == 0 ? RotaryPairs::half : RotaryPairs::interleaved,
                            2 * (1 + static_cast<int>(random() % 32))};
  return p;
}

// Likewise of sparse_prefill. The requests follow from the lists, as interface/problem.hpp says.
Problem random_sparse_problem(std::mt19937& random) {
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  const auto coin = [&] { return below(2) == 1; };
  Problem p;
  p.op = sparse_prefill;
  p.query_heads = 1 + below(128);
  p.head_dim = 512;
  p.query_type = p.kv_type = coin() ? ElementType::fp8 : ElementType::bf16;
  const auto format = static_cast<RowFormat>(below(2));
  SparseLists& lists = p.own.emplace<SparseLists>();
  lists = {1 + below(6), below(2000), below(2000), static_cast<ListKind>(below(4)), {}, {}, format};
  const int pool_quarter = (lists.pool_rows + 3) / 4, chunk_quarter = (lists.chunk_rows + 3) / 4;
  int most = pool_quarter + chunk_quarter;
  if (lists.kind == ListKind::dense) most = lists.pool_rows + lists.chunk_rows;
  if (lists.kind == ListKind::lengths) {
    most = 0;
    const bool same = coin();
    for (int t = 0; t < lists.tokens; ++t) {
      lists.prefix_lengths.push_back(same && t > 0 ? lists.prefix_lengths[0] : below(300));
      lists.extend_lengths.push_back(below(3));
      most = std::max(most, lists.prefix_lengths.back() + lists.extend_lengths.back());
    }
  }
  p.requests = {{lists.tokens, most}};
  p.scale = std::uniform_real_distribution<float>(0, 1)(random);
  p.sink_logit = coin();
  p.lse = coin();
  if (coin()) p.values = "outlier";
  p.seed = 1 + static_cast<uint64_t>(below(3));
  return p;
}

struct Malformed {
  const char *text, *error;
};

constexpr const char* all_keys =
    "is none of batch_prefill, must be one of h, b, sq, sk, trace, d, q, kv, o, quant, table, layout, "
    "page, paged, strided, interleaved, mode, causal, window, sink, tree, "
    "sinklogit, cap, lse, deterministic, scale, order, spare, values, seed";

const Malformed malformed[] = {
    {"", "operator = : must be one of batch_prefill, append_prefill, sparse_prefill, merge"},
    {"decode/h=1:1/sq=1/sk=1",
     "operator = decode: must be one of batch_prefill, append_prefill, sparse_prefill, merge"},
    {"batch_prefill/sq=1/sk=1", "case string key = h: is missing"},
    {"batch_prefill/h=1:1/sk=1", "case string key = sq: is missing (or give trace=NAME@FIRST+COUNT)"},
    {"batch_prefill/h=1:1/sq=1", "case string key = sk: is missing (or give trace=NAME@FIRST+COUNT)"},
    {"batch_prefill/h=1:1/sq=1/sk=1/page", "case string part = page: must be key=value"},
    {"batch_prefill/h=1:1/sq=1/sk=1/", "case string part = : must be key=value"},
    {"batch_prefill/h=1:1/sq=1/sk=1/d=64/d=64", "d = 64: is given twice, must be given once"},
    {"batch_prefill/h=6/sq=1/sk=1", "h = 6: must be Hq:Hkv, two head counts of at least 1"},
    {"batch_prefill/h=0:1/sq=1/sk=1", "h = 0:1: must be Hq:Hkv, two head counts of at least 1"},
    {"batch_prefill/h=6:1:1/sq=1/sk=1", "h = 6:1:1: must be Hq:Hkv, two head counts of at least 1"},
    {"batch_prefill/h=1:1/sq=-1/sk=1", "sq = -1: must be query lengths >= 0, separated by commas"},
    {"batch_prefill/h=1:1/sq=1,/sk=1", "sq = 1,: must be query lengths >= 0, separated by commas"},
    {"batch_prefill/h=1:1/sq=1/sk=99999999999",
     "sk = 99999999999: must be key lengths >= 0, separated by commas"},
    {"batch_prefill/h=1:1/sq=1,2/sk=1,2,3", "sq = 1,2: has 2 lengths for 3 requests, must be 1 or 3"},
    {"batch_prefill/h=1:1/b=2/sq=1/sk=1,2,3", "sk = 1,2,3: has 3 lengths for 2 requests, must be 1 or 2"},
    {"batch_prefill/h=1:1/b=0/sq=1/sk=1", "b = 0: must be a number of requests from 1 to 65536"},
    {"batch_prefill/h=1:1/b=65537/sq=1/sk=1", "b = 65537: must be a number of requests from 1 to 65536"},
    {"batch_prefill/h=1:1/sq=1/trace=azure@0+2",
     "trace = azure@0+2: gives the requests, so b, sq and sk must be absent"},
    {"batch_prefill/h=1:1/trace=azure",
     "trace = azure: must be NAME@FIRST+COUNT or NAME@FIRST+COUNT:SCALE with COUNT and SCALE of at least 1"},
    {"batch_prefill/h=1:1/trace=azure@1+0", "trace = azure@1+0: must be NAME@FIRST+COUNT or "
                                            "NAME@FIRST+COUNT:SCALE with COUNT and SCALE of at least 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/d=128x",
     "d = 128x: must be a head dimension of at least 1, or that of Q and K and that of V, such as 192:128"},
    {"batch_prefill/h=1:1/sq=1/sk=1/d=192:0",
     "d = 192:0: must be a head dimension of at least 1, or that of Q and K and that of V, such as 192:128"},
    {"batch_prefill/h=1:1/sq=1/sk=1/d=192:128:64", "d = 192:128:64: must be a head dimension of at least 1, "
                                                   "or that of Q and K and that of V, such as 192:128"},
    {"batch_prefill/h=1:1/sq=1/sk=1/d= 128",
     "d =  128: must be a head dimension of at least 1, or that of Q and K and that of V, such as 192:128"},
    {"batch_prefill/h=1:1/sq=1/sk=1/kv=fp4", "kv = fp4: must be one of bf16, fp16, fp8, mxfp4"},
    {"batch_prefill/h=1:1/sq=1/sk=1/q=mxfp4", "q = mxfp4: must be one of bf16, fp16, fp8"},
    {"batch_prefill/h=1:1/sq=1/sk=1/o=mxfp4", "o = mxfp4: must be one of bf16, fp16, fp8"},
    {"batch_prefill/h=1:1/sq=1/sk=1/q=e8m0", "q = e8m0: must be one of bf16, fp16, fp8"},
    {"batch_prefill/h=1:1/sq=1/sk=1/quant=block", "quant = block: must be one of none, tensor, page, mx"},
    {"batch_prefill/h=1:1/sq=1/sk=1/page=0", "page = 0: must be a number of tokens of at least 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/paged=off", "paged = off: must be 0 or 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/strided=yes", "strided = yes: must be 0 or 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/layout=nhd", "layout = nhd: must be one of linear, vectorized, hnd"},
    {"batch_prefill/h=1:1/sq=1/sk=1/interleaved=2", "interleaved = 2: must be 0 or 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/tree=65", "tree = 65: must be a number of nodes from 0 to 64"},
    {"batch_prefill/h=1:1/sq=1/sk=1/tree=-1", "tree = -1: must be a number of nodes from 0 to 64"},
    {"batch_prefill/h=1:1/sq=1/sk=1/causal=yes", "causal = yes: must be 0 or 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/window=5", "window = 5: must be LEFT:RIGHT, two numbers of tokens >= 0"},
    {"batch_prefill/h=1:1/sq=1/sk=1/window=5:-1",
     "window = 5:-1: must be LEFT:RIGHT, two numbers of tokens >= 0"},
    {"batch_prefill/h=1:1/sq=1/sk=1/cap=nan", "cap = nan: must be a finite number >= 0"},
    {"batch_prefill/h=1:1/sq=1/sk=1/scale=inf", "scale = inf: must be a finite number"},
    {"batch_prefill/h=1:1/sq=1/sk=1/values=", "values = : must be letters, digits and _.:@+-"},
    {"batch_prefill/h=1:1/sq=1/sk=1/seed=-1", "seed = -1: must be a number >= 0"},
    {"sparse_prefill/n=1/pool=1/chunk=1/scale=1", "case string key = h: is missing"},
    {"sparse_prefill/h=16/pool=1/chunk=1/scale=1", "case string key = n: is missing"},
    {"sparse_prefill/h=16/n=1/chunk=1/scale=1", "case string key = pool: is missing"},
    {"sparse_prefill/h=16/n=1/pool=1/scale=1", "case string key = chunk: is missing"},
    {"sparse_prefill/h=16/n=1/pool=1/chunk=1", "case string key = scale: is missing"},
    {"sparse_prefill/h=16:1", "h = 16:1: must be Hq, a multiple of 16 query heads (they share one KV head)"},
    {"sparse_prefill/n=0", "n = 0: must be a number of tokens from 1 to 1048576"},
    {"sparse_prefill/n=1048577", "n = 1048577: must be a number of tokens from 1 to 1048576"},
    {"sparse_prefill/pool=134217729", "pool = 134217729: must be a number of rows from 0 to 134217728"},
    {"sparse_prefill/chunk=-1", "chunk = -1: must be a number of rows from 0 to 134217728"},
    {"sparse_prefill/kv=fp16", "kv = fp16: must be one of bf16, fp8"},
    {"sparse_prefill/kv=mxfp4", "kv = mxfp4: must be one of bf16, fp8"},
    {"sparse_prefill/kv=int32", "kv = int32: must be one of bf16, fp8"},
    {"sparse_prefill/format=mx", "format = mx: must be one of split, packed"},
    {"sparse_prefill/lists=lengths",
     "lists = lengths: must be one of sparse, dense, empty (or give prefix and extend)"},
    {"sparse_prefill/prefix=1,,2",
     "prefix = 1,,2: must be numbers of rows from 0 to 134217728, separated by commas"},
    {"sparse_prefill/extend=134217729",
     "extend = 134217729: must be numbers of rows from 0 to 134217728, separated by commas"},
    {"sparse_prefill/h=16/n=3/pool=1/chunk=1/scale=1/prefix=1,2/extend=1",
     "prefix = 1,2: has 2 lengths for 3 tokens, must be 1 or 3"},
    {"sparse_prefill/h=16/n=1/pool=1/chunk=1/scale=1/prefix=1",
     "case string key = extend: is missing, prefix and extend belong together (or give lists)"},
    {"sparse_prefill/h=16/n=1/pool=1/chunk=1/scale=1/lists=dense/prefix=1/extend=1",
     "lists = dense: must be absent where prefix and extend give the lengths of the lists"},
    {"sparse_prefill/h=16/sq=1",
     "case string key = sq: is none of sparse_prefill, must be one of h, n, pool, chunk, kv, format, lists, "
     "prefix, extend, scale, sinklogit, lse, values, seed"},
    {"append_prefill/sq=1/sk=1", "case string key = h: is missing"},
    {"append_prefill/h=1:1/sq=1", "case string key = sk: is missing (or give trace=NAME@FIRST+COUNT)"},
    {"append_prefill/h=1:1/sq=1/sk=1/q=fp8", "q = fp8: must be one of bf16, fp16"},
    {"append_prefill/h=1:1/sq=1/sk=1/calls=0", "calls = 0: must be a number of calls from 1 to 1024"},
    {"append_prefill/h=1:1/sq=1/sk=1/calls=1025", "calls = 1025: must be a number of calls from 1 to 1024"},
    {"append_prefill/h=1:1/sq=1/sk=1/kv=fp8",
     "case string key = kv: is none of append_prefill, must be one of h, b, sq, sk, trace, d, q, table, "
     "page, "
     "mode, causal, window, sink, sinklogit, cap, lse, deterministic, scale, order, spare, values, seed, "
     "rope, "
     "calls"},
    {"append_prefill/h=1:1/sq=1/sk=1/rope=64",
     "rope = 64: must be half:N or interleaved:N, N columns that are rotated"},
    {"append_prefill/h=1:1/sq=1/sk=1/rope=quarter:64",
     "rope = quarter:64: must be half:N or interleaved:N, N columns that are rotated"},
    {"append_prefill/h=1:1/sq=1/sk=1/rope=half:0",
     "rope = half:0: must be half:N or interleaved:N, N columns that are rotated"},
};

} // namespace

TEST_CASE("a case string names its problem completely") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Problem problem = i % 3 == 0   ? random_sparse_problem(random)
                            : i % 3 == 1 ? random_append_problem(random)
                                         : random_paged_problem(random);
    const std::string text = print_case(problem);
    CAPTURE(text);
    REQUIRE(parse_case(text) == problem);
    REQUIRE(print_case(parse_case(text)) == text);
  }
}

TEST_CASE("case strings: order does not matter, defaults are left out, one length stands for all") {
  const Problem problem = parse_case("batch_prefill/kv=fp8/page=16/sk=1024,77/h=6:1/sq=128/causal=0/d=128");
  REQUIRE(problem.requests == std::vector<Request>{{128, 1024}, {128, 77}});
  REQUIRE(problem.kv_type == ElementType::fp8);
  REQUIRE(print_case(problem) == "batch_prefill/h=6:1/sq=128/sk=1024,77/d=128/kv=fp8");
  REQUIRE(print_case(parse_case("batch_prefill/h=1:1/sq=1/sk=1/d=128:128")) ==
          "batch_prefill/h=1:1/sq=1/sk=1/d=128");
  const Problem mla = parse_case("batch_prefill/h=1:1/sq=1/sk=1/d=192:128");
  REQUIRE(print_case(mla) == "batch_prefill/h=1:1/sq=1/sk=1/d=192:128");
  REQUIRE((mla.head_dim == 192 && mla.value_columns() == 128));
  REQUIRE(print_case(parse_case("batch_prefill/h=2:2/sk=5,5,5/sq=1")) ==
          "batch_prefill/h=2:2/b=3/sq=1/sk=5/d=128");
  REQUIRE(parse_case("batch_prefill/h=2:2/b=2/sq=3/sk=4").requests == std::vector<Request>{{3, 4}, {3, 4}});
  const Problem traced = parse_case("batch_prefill/h=8:1/trace=azure_conv@10+5:4");
  REQUIRE(traced.trace == TraceSlice{"azure_conv", 10, 5, 4});
  REQUIRE(traced.requests.empty());
}

TEST_CASE("case strings: kv=mxfp4 has MX scales without a word of them, and any other word is kept") {
  const std::string text = "batch_prefill/h=6:1/sq=8/sk=40/d=128/q=fp8/kv=mxfp4/page=32";
  const Problem implied = parse_case(text);
  CHECK(implied.kv_type == ElementType::mxfp4);
  CHECK(implied.quantisation == Quantisation::mx);
  CHECK(print_case(implied) == text);
  CHECK(parse_case("batch_prefill/quant=mx/h=6:1/sq=8/sk=40/q=fp8/kv=mxfp4/page=32") == implied);
  for (const char* other : {"none", "tensor", "page"}) {
    const Problem given = parse_case(text + "/quant=" + other);
    CHECK(name_of(given.quantisation) == other);
    CHECK(parse_case(print_case(given)) == given);
  }
}

TEST_CASE("case strings of sparse_prefill: what follows from the keys, and what is left out") {
  const Problem dense = parse_case("sparse_prefill/h=64/n=128/pool=1024/chunk=256/kv=fp8/lists=dense/"
                                   "format=packed/scale=0.0442/sinklogit=1");
  REQUIRE(dense.head_dim == 512);
  REQUIRE(dense.kv_heads == 1);
  REQUIRE(dense.query_type == ElementType::fp8);
  REQUIRE(dense.requests == std::vector<Request>{{128, 1280}});
  REQUIRE(print_case(dense) == "sparse_prefill/h=64/n=128/pool=1024/chunk=256/kv=fp8/format=packed/"
                               "lists=dense/scale=0.0442/sinklogit=1");
  const std::string base = "sparse_prefill/h=16/n=3/pool=10/chunk=5";
  REQUIRE(parse_case(base + "/scale=1").requests == std::vector<Request>{{3, 3 + 2}});
  const Problem lengths = parse_case(base + "/prefix=0,7,5/extend=2,2,2/scale=1");
  REQUIRE(sparse_lists(lengths)->kind == ListKind::lengths);
  REQUIRE(sparse_lists(lengths)->extend_lengths == std::vector<int>{2, 2, 2});
  REQUIRE(lengths.requests == std::vector<Request>{{3, 9}});
  REQUIRE(print_case(lengths) == base + "/prefix=0,7,5/extend=2/scale=1");
  REQUIRE(print_case(parse_case(base + "/scale=1/lists=sparse/format=split/kv=bf16")) == base + "/scale=1");
}

TEST_CASE("case strings of append_prefill: what the operator implies, and what is left out") {
  const std::string text = "append_prefill/h=32:8/sq=100,7/sk=612,7/d=128/page=64/causal=1/calls=3";
  const Problem problem =
      parse_case("append_prefill/calls=3/h=32:8/sq=100,7/sk=612,7/q=bf16/page=64/causal=1");
  REQUIRE(problem.kv_type == ElementType::fp8);
  REQUIRE(problem.quantisation == Quantisation::per_tensor);
  REQUIRE(problem.requests == std::vector<Request>{{100, 612}, {7, 7}});
  REQUIRE(problem.calls == 3);
  REQUIRE(print_case(problem) == text);
  REQUIRE(parse_case("append_prefill/h=1:1/sq=1/sk=1/q=fp16").output_type == ElementType::fp16);
  REQUIRE_THROWS_WITH(parse_case("batch_prefill/h=1:1/sq=1/sk=1/calls=2"),
                      std::string("case string key = calls: ") + all_keys);
}

TEST_CASE("a case string that says nothing known is refused with what would be right") {
  for (const Malformed& row : malformed) {
    CAPTURE(row.text);
    REQUIRE_THROWS_WITH(parse_case(row.text), row.error);
  }
  REQUIRE_THROWS_WITH(parse_case("batch_prefill/h=1:1/sq=1/sk=1/pagesize=16"),
                      std::string("case string key = pagesize: ") + all_keys);
}
