// append_prefill: what is refused before anything is launched, each with its exact text.
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "tests/operators/append_prefill/append_tensors.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <functional>
#include <limits>

using namespace fmha950;
using namespace fmha950::test;

namespace {

using enum ElementType;

struct MalformedProblem {
  std::function<void(Problem&)> spoil;
  const char* error;
};

const MalformedProblem malformed_problems[] = {
    {[](Problem& p) { p.query_type = fp8; }, "q = fp8: must be bf16 or fp16, as the chunk's K and V"},
    {[](Problem& p) { p.output_type = fp16; }, "o = fp16: must be Q's type"},
    {[](Problem& p) {
       p.kv_type = bf16;
       p.quantisation = Quantisation::none;
     },
     "kv = bf16: must be fp8, the cache's type"},
    {[](Problem& p) { p.quantisation = Quantisation::mx; },
     "quant = mx: must be tensor, as k_scale and v_scale have one value each"},
    {[](Problem& p) { p.kv_layout = KvLayout::vectorized; },
     "layout = vectorized: must be linear for append_prefill"},
    {[](Problem& p) { p.paged = false; }, "paged = 0: must be 1 for append_prefill"},
    {[](Problem& p) { p.strided = true; }, "strided = 1: must be 0 for append_prefill"},
    {[](Problem& p) { p.interleaved = true; }, "interleaved = 1: must be 0 for append_prefill"},
    {[](Problem& p) { p.causal = true, p.tree_nodes = 4; }, "tree = 4: must be 0 for append_prefill"},
    {[](Problem& p) { p.window = Window{8, -1}; }, "window = 8:-1: must be two numbers of tokens >= 0"},
    {[](Problem& p) {
       p.causal = true;
       p.window = Window{8, 2};
     },
     "window = 8:2: must be LEFT:0 with causal=1, which hides all later keys"},
    {[](Problem& p) { p.sink_tokens = -4; }, "sink = -4: must be >= 0"},
    {[](Problem& p) { p.requests[1].key_length = 6; },
     "sq:sk = 30:70,7:6: must have sq <= sk in every request, as sk counts the chunk of sq tokens"},
    {[](Problem& p) { p.own = RotaryEmbedding{RotaryPairs::half, 66}; },
     "rope = half:66: must rotate an even number of columns from 2 to head_dim"},
    {[](Problem& p) { p.own = RotaryEmbedding{RotaryPairs::interleaved, 31}; },
     "rope = interleaved:31: must rotate an even number of columns from 2 to head_dim"},
    {[](Problem& p) {
       p.op = "batch_prefill";
       p.own = RotaryEmbedding{RotaryPairs::half, 32};
     },
     "rope = half:32: must be absent, only append_prefill has a rotary embedding"},
    {[](Problem& p) { p.calls = 0; }, "calls = 0: must be from 1 to 1024"},
    {[](Problem& p) { p.page_size = 40; }, "page = 40: must be 1 token or a multiple of 16 up to 1024"},
};

struct MalformedTensors {
  const char* text;
  std::function<void(Tensors&)> spoil;
  const char* error;
};

std::function<void(Tensors&)> scale(Tensor Tensors::* member, float value) {
  return [=](Tensors& t) { (t.*member).template as<float>()[0] = value; };
}
std::function<void(Tensors&)> entry(Tensor Tensors::* member, int place, int32_t value) {
  return [=](Tensors& t) { (t.*member).template as<int32_t>()[place] = value; };
}
std::function<void(Tensors&)> replace(Tensor Tensors::* member, ElementType type,
                                      std::vector<int64_t> shape) {
  return [=](Tensors& t) { t.*member = Tensor(type, shape); };
}

std::function<void(Tensors&)> replace_own(Tensor AppendTensors::* member, ElementType type,
                                          std::vector<int64_t> shape) {
  return [=](Tensors& t) { append_tensors(t).*member = Tensor(type, shape); };
}

constexpr const char* half = "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/q=fp16";
constexpr const char* three_calls = "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/calls=3";

std::function<void(Tensors&)> cuts(const std::vector<int32_t>& values, std::vector<int64_t> shape) {
  return [=](Tensors& t) { append_tensors(t).call_cuts = ints(values, shape); };
}

std::function<void(Tensors&)> position(size_t token, int32_t value) {
  return [=](Tensors& t) { append_tensors(t).positions.as<int32_t>()[token] = value; };
}

constexpr float infinity = std::numeric_limits<float>::infinity();

const MalformedTensors malformed_tensors[] = {
    // Shape and type of the scales, then their values.
    {sglang, replace(&Tensors::k_descale, fp32, {2}), "k_scale = fp32 [2]: must be fp32 [1]"},
    {sglang, replace(&Tensors::v_descale, fp32, {1, 1}), "v_scale = fp32 [1, 1]: must be fp32 [1]"},
    {sglang, replace(&Tensors::k_descale, bf16, {1}), "k_scale = bf16 [1]: must be fp32 [1]"},
    {sglang, [](Tensors& t) { t.v_descale = Tensor(); }, "v_scale = fp32 []: must be fp32 [1]"},
    {sglang, scale(&Tensors::k_descale, 0), "k_scale[0] = 0: must be finite, > 0 and no subnormal number"},
    {sglang, scale(&Tensors::k_descale, -0.01f),
     "k_scale[0] = -0.01: must be finite, > 0 and no subnormal number"},
    {sglang, scale(&Tensors::v_descale, NAN),
     "v_scale[0] = nan: must be finite, > 0 and no subnormal number"},
    {sglang, scale(&Tensors::v_descale, infinity),
     "v_scale[0] = inf: must be finite, > 0 and no subnormal number"},
    {sglang, scale(&Tensors::k_descale, 1e36f),
     "k_scale[0] = 1e+36: must be at most 7.565918e+35, or 448 times it is infinite in bf16"},
    {half, scale(&Tensors::v_descale, 147),
     "v_scale[0] = 147: must be at most 146.21428, or 448 times it is infinite in fp16"},
    {sglang, scale(&Tensors::v_descale, 1e-40f),
     "v_scale[0] = 1e-40: must be finite, > 0 and no subnormal number"},
    {sglang, replace(&Tensors::q_descale, fp32, {1}),
     "q_descale = fp32 [1]: must be absent for this problem"},
    // The chunk and the cache.
    {sglang, replace_own(&AppendTensors::k_new, fp16, {37, 2, 64}),
     "k_new = fp16 [37, 2, 64]: must be bf16 [37, 2, 64]"},
    {sglang, replace_own(&AppendTensors::v_new, bf16, {36, 2, 64}),
     "v_new = bf16 [36, 2, 64]: must be bf16 [37, 2, 64]"},
    {sglang, replace_own(&AppendTensors::v_new, bf16, {37, 4, 64}),
     "v_new = bf16 [37, 4, 64]: must be bf16 [37, 2, 64]"},
    {sglang, replace(&Tensors::k_pool, bf16, {8, 16, 2, 64}),
     "k_cache = bf16 [8, 16, 2, 64]: must be fp8 [8, 16, 2, 64]"},
    {sglang, replace(&Tensors::v_pool, fp8, {7, 16, 2, 64}),
     "v_cache = fp8 [7, 16, 2, 64]: must be fp8 [8, 16, 2, 64]"},
    // The rotary embedding.
    {rotary, replace_own(&AppendTensors::positions, int32, {36}),
     "positions = int32 [36]: must be int32 [37]"},
    {rotary, [](Tensors& t) { append_tensors(t).positions = Tensor(); },
     "positions = fp32 []: must be int32 [37]"},
    {rotary, replace_own(&AppendTensors::cos_sin_cache, fp32, {70, 64}),
     "cos_sin_cache = fp32 [70, 64]: must be fp32 [70, 32]"},
    {rotary, replace_own(&AppendTensors::cos_sin_cache, bf16, {70, 32}),
     "cos_sin_cache = bf16 [70, 32]: must be fp32 [70, 32]"},
    {rotary, [](Tensors& t) { append_tensors(t).cos_sin_cache = Tensor(); },
     "cos_sin_cache = fp32 []: must be fp32 [1, 32]"},
    {rotary, position(4, 70), "positions[4] = 70: must be from 0 to 69, a row of cos_sin_cache"},
    {rotary, position(36, -1), "positions[36] = -1: must be from 0 to 69, a row of cos_sin_cache"},
    {sglang, replace_own(&AppendTensors::positions, int32, {37}),
     "positions = int32 [37]: must be absent for this problem"},
    {sglang, replace_own(&AppendTensors::cos_sin_cache, fp32, {70, 32}),
     "cos_sin_cache = fp32 [70, 32]: must be absent for this problem"},
    // Where the calls begin.
    {three_calls, cuts({0, 30, 3}, {3}), "call_cuts = int32 [3]: must be int32 [2, 2]"},
    {three_calls, cuts({9, 8, 3, 7}, {2, 2}), "call_cuts[0, 1] = 8: must be at least 9, the cut before it"},
    {three_calls, cuts({9, 9, 3, 8}, {2, 2}),
     "call_cuts[1, 1] = 8: must be from 0 to 7, the length of the request's chunk"},
    {three_calls, cuts({-1, 9, 3, 7}, {2, 2}),
     "call_cuts[0, 0] = -1: must be from 0 to 30, the length of the request's chunk"},
    {sglang, cuts({9, 3}, {2, 1}), "call_cuts = int32 [2, 1]: must be absent for this problem"},
    // Ranges of page ids.
    {sglang, entry(&Tensors::kv_page_indices, 3, 8),
     "kv_page_indices[3] = 8: must be a page of the pool, 0 to 7"},
    {sglang, entry(&Tensors::kv_page_indices, 0, -1),
     "kv_page_indices[0] = -1: must be a page of the pool, 0 to 7"},
    {vllm, entry(&Tensors::block_table, 6, 9), "block_table[1, 0] = 9: must be a page of the pool, 0 to 7"},
    // Room for the chunk: enough pages, and a last page that counts it.
    {sglang, entry(&Tensors::kv_indptr, 1, 4), "kv_indptr[1] = 4: must be 5, as request 0 has 5 pages"},
    {sglang, entry(&Tensors::kv_last_page_lens, 0, 8),
     "kv_last_page_lens[0] = 8: must be 6, as request 0 has 70 keys"},
    {sglang, entry(&Tensors::kv_last_page_lens, 1, 17),
     "kv_last_page_lens[1] = 17: must be 1 to 16, the page size"},
    {vllm, entry(&Tensors::seqlen_k, 0, 40), "seqlen_k[0] = 40: must be 70, the key length of request 0"},
    {vllm, [](Tensors& t) { t.block_table = ints({0, 1, 2, 3, 5, 6, 7, 4}, {2, 4}); },
     "block_table = int32 [2, 4]: must be int32 [2, 5] or wider"},
    // Write conflicts: within a request, with an old page of another, with a page that another writes to.
    {sglang, entry(&Tensors::kv_page_indices, 4, 3),
     "kv_page_indices of request 0, page 3 = 3: must be a page of its own, as the request appends tokens 40 "
     "to "
     "69, but request 0 names it as its page 4, too"},
    {sglang, entry(&Tensors::kv_page_indices, 2, 0),
     "kv_page_indices of request 0, page 2 = 0: must be a page of its own, as the request appends tokens 40 "
     "to "
     "69, but request 0 names it as its page 0, too"},
    {sglang, entry(&Tensors::kv_page_indices, 5, 1),
     "kv_page_indices of request 1, page 0 = 1: must be a page of its own, as the request appends tokens 0 "
     "to "
     "6, but request 0 names it as its page 1, too"},
    {vllm, entry(&Tensors::block_table, 6, 4),
     "block_table of request 0, page 4 = 4: must be a page of its own, as the request appends tokens 40 to "
     "69, "
     "but request 1 names it as its page 0, too"},
};

} // namespace

TEST_CASE("append_prefill: problems that it does not have are refused") {
  REQUIRE_NOTHROW(validate_problem(parse_case(sglang)));
  for (const MalformedProblem& row : malformed_problems) {
    CAPTURE(row.error);
    Problem problem = parse_case(sglang);
    row.spoil(problem);
    REQUIRE_THROWS_WITH(validate_problem(problem), row.error);
  }
  for (const char* other :
       {"batch_prefill/h=4:2/sq=1/sk=1", "sparse_prefill/h=16/n=1/pool=1/chunk=1/scale=1"}) {
    Problem problem = parse_case(other);
    problem.calls = 2;
    REQUIRE_THROWS_WITH(validate_problem(problem),
                        "calls = 2: must be absent, only append_prefill comes in several calls");
  }
}

TEST_CASE("append_prefill: malformed tensors are refused by name, place, value and what would be right") {
  for (const char* text : {sglang, vllm}) {
    const Problem problem = parse_case(text);
    REQUIRE_NOTHROW(validate_tensors(problem, valid_append_tensors(problem)));
  }
  for (const MalformedTensors& row : malformed_tensors) {
    CAPTURE(row.text, row.error);
    const Problem problem = parse_case(row.text);
    Tensors tensors = valid_append_tensors(problem);
    row.spoil(tensors);
    REQUIRE_THROWS_WITH(validate_tensors(problem, tensors), row.error);
  }
  Problem batch = parse_case("batch_prefill/h=4:2/sq=30,7/sk=70,7/d=64/kv=fp8/quant=tensor");
  Tensors tensors = valid_append_tensors(parse_case(sglang));
  tensors.q_descale = tensors.k_descale;
  REQUIRE_THROWS_WITH(validate_tensors(batch, tensors),
                      "tensors.own = of another operator: must be absent for batch_prefill");
}

TEST_CASE("append_prefill: requests may share pages of old tokens, and a request name one twice") {
  const Problem problem = parse_case("append_prefill/h=4:2/sq=30,7/sk=70,39/d=64");
  Tensors tensors = valid_append_tensors(problem);
  tensors.kv_indptr = ints({0, 5, 8}, {3});
  tensors.kv_last_page_lens = ints({6, 7}, {2});
  tensors.kv_page_indices = ints({0, 0, 2, 3, 4, 0, 1, 5}, {8});
  REQUIRE_NOTHROW(validate_tensors(problem, tensors));
  // The page that is part old, part new is written to: page 2 of request 1 holds token 32 and the chunk.
  tensors.kv_page_indices = ints({0, 5, 2, 3, 4, 0, 1, 5}, {8});
  REQUIRE_THROWS_WITH(validate_tensors(problem, tensors),
                      "kv_page_indices of request 1, page 2 = 5: must be a page of its own, as the request "
                      "appends tokens 32 to 38, but request 0 names it as its page 1, too");
}

TEST_CASE(
    "append_prefill: cuts of calls may be absent, equal or at the ends, and are alike with mode=batch") {
  const Problem problem = parse_case(three_calls);
  Tensors tensors = valid_append_tensors(problem);
  CHECK_NOTHROW(validate_tensors(problem, tensors));
  append_tensors(tensors).call_cuts = ints({0, 30, 7, 7}, {2, 2});
  CHECK_NOTHROW(validate_tensors(problem, tensors));
  Problem alike = problem;
  alike.mode = BatchMode::batch;
  CHECK_THROWS_WITH(validate_tensors(alike, tensors),
                    "call_cuts[1, 0] = 7: must be 0, as request 0's: mode=batch");
}
