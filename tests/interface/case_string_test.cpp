#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace fmha950;

namespace {

// Any value of any field that a case string can say, valid as a problem or not.
Problem random_problem(std::mt19937& random) {
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  const auto coin = [&] { return below(2) == 1; };
  const auto any_float = [&] { return std::uniform_real_distribution<float>(0, 3)(random); };
  Problem p;
  p.op = static_cast<Operator>(below(3));
  p.query_heads = 1 + below(128);
  p.kv_heads = 1 + below(16);
  p.head_dim = 1 + below(512);
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
  p.kv_layout = static_cast<KvLayout>(below(2));
  p.page_size = 1 << below(11);
  p.paged = coin();
  p.strided = coin();
  p.mode = static_cast<BatchMode>(below(2));
  p.causal = coin();
  if (coin()) p.window = Window{below(4096), below(10)};
  p.sink_tokens = coin() ? below(200) : 0;
  p.sink_logit = coin();
  p.soft_cap = coin() ? any_float() : 0;
  p.lse = coin();
  if (coin()) p.scale = any_float();
  p.page_order = static_cast<PageOrder>(below(3));
  p.spare_pages = below(6);
  if (coin()) p.values = "activations:L10+pow2";
  p.seed = coin() ? (uint64_t(random()) << 32 | random()) : 1;
  return p;
}

struct Malformed {
  const char *text, *error;
};

constexpr const char* all_keys = "must be one of h, b, sq, sk, trace, d, q, kv, o, quant, table, layout, "
                                 "page, paged, strided, mode, causal, window, sink, "
                                 "sinklogit, cap, lse, scale, order, spare, values, seed";

const Malformed malformed[] = {
    {"", "operator = : must be one of batch_prefill, append_prefill, sparse_prefill"},
    {"decode/h=1:1/sq=1/sk=1",
     "operator = decode: must be one of batch_prefill, append_prefill, sparse_prefill"},
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
    {"batch_prefill/h=1:1/sq=1/sk=1/d=128x", "d = 128x: must be a head dimension of at least 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/d= 128", "d =  128: must be a head dimension of at least 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/kv=fp4", "kv = fp4: must be one of bf16, fp16, fp8"},
    {"batch_prefill/h=1:1/sq=1/sk=1/q=e8m0", "q = e8m0: must be one of bf16, fp16, fp8"},
    {"batch_prefill/h=1:1/sq=1/sk=1/quant=block", "quant = block: must be one of none, tensor, page, mx"},
    {"batch_prefill/h=1:1/sq=1/sk=1/page=0", "page = 0: must be a number of tokens of at least 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/paged=off", "paged = off: must be 0 or 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/strided=yes", "strided = yes: must be 0 or 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/causal=yes", "causal = yes: must be 0 or 1"},
    {"batch_prefill/h=1:1/sq=1/sk=1/window=5", "window = 5: must be LEFT:RIGHT, two numbers of tokens >= 0"},
    {"batch_prefill/h=1:1/sq=1/sk=1/window=5:-1",
     "window = 5:-1: must be LEFT:RIGHT, two numbers of tokens >= 0"},
    {"batch_prefill/h=1:1/sq=1/sk=1/cap=nan", "cap = nan: must be a finite number >= 0"},
    {"batch_prefill/h=1:1/sq=1/sk=1/scale=inf", "scale = inf: must be a finite number"},
    {"batch_prefill/h=1:1/sq=1/sk=1/values=", "values = : must be letters, digits and _.:@+-"},
    {"batch_prefill/h=1:1/sq=1/sk=1/seed=-1", "seed = -1: must be a number >= 0"},
};

} // namespace

TEST_CASE("a case string names its problem completely") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Problem problem = random_problem(random);
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
  REQUIRE(print_case(parse_case("batch_prefill/h=2:2/sk=5,5,5/sq=1")) ==
          "batch_prefill/h=2:2/b=3/sq=1/sk=5/d=128");
  REQUIRE(parse_case("batch_prefill/h=2:2/b=2/sq=3/sk=4").requests == std::vector<Request>{{3, 4}, {3, 4}});
  const Problem traced = parse_case("batch_prefill/h=8:1/trace=azure_conv@10+5:4");
  REQUIRE(traced.trace == TraceSlice{"azure_conv", 10, 5, 4});
  REQUIRE(traced.requests.empty());
}

TEST_CASE("a case string that says nothing known is refused with what would be right") {
  for (const Malformed& row : malformed) {
    CAPTURE(row.text);
    REQUIRE_THROWS_WITH(parse_case(row.text), row.error);
  }
  REQUIRE_THROWS_WITH(parse_case("batch_prefill/h=1:1/sq=1/sk=1/pagesize=16"),
                      std::string("case string key = pagesize: ") + all_keys);
}
