// Malformed problems and tensors, each with the exact text of its refusal.
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "valid_tensors.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace fmha950;
using test::valid_tensors;

namespace {

using enum ElementType;

struct MalformedProblem {
  const char* text;
  std::function<void(Problem&)> spoil;
  const char* error;
};

const MalformedProblem malformed_problems[] = {
    {"sq=8/sk=40", [](Problem& p) { p.kv_heads = 0; }, "h = 4:0: must be two head counts of at least 1"},
    {"sq=8/sk=40", [](Problem& p) { p.kv_heads = 3; }, "h = 4:3: query heads must be a multiple of KV heads"},
    {"sq=8/sk=40/d=96", nullptr, "d = 96: must be 64, 128, 256 or 192:128"},
    {"sq=8/sk=40/d=192", nullptr, "d = 192: must be 64, 128, 256 or 192:128"},
    {"sq=8/sk=40/d=128:192", nullptr, "d = 128:192: must be 64, 128, 256 or 192:128"},
    {"sq=8/sk=40/d=128:64", nullptr, "d = 128:64: must be 64, 128, 256 or 192:128"},
    {"sq=8/sk=40/d=192:128/interleaved=1", nullptr,
     "interleaved = 1: must be absent with d=192:128, whose pages of K and V are of two sizes"},
    {"sq=8/sk=40/page=40", nullptr, "page = 40: must be 1 token or a multiple of 16 up to 1024"},
    {"trace=azure@0+4", nullptr, "trace = azure: its requests have not been read yet"},
    {"sq=8/sk=40", [](Problem& p) { p.requests.clear(); }, "requests = 0: must be at least one"},
    {"sq=8,9/sk=40", [](Problem& p) { p.requests[1].query_length = -9; }, "sq = 8,-9: must be >= 0"},
    {"sq=8/sk=40,50", [](Problem& p) { p.requests[0].key_length = -1; }, "sk = -1,50: must be >= 0"},
    {"sq=8/sk=40,50", [](Problem& p) { p.requests[0].key_length = (1 << 30) + 1; },
     "sk = 1073741825,50: must be at most 2^30"},
    {"b=2/sq=2000000000/sk=40", nullptr,
     "sq = 2000000000,2000000000: must sum to less than 2^31, as q_indptr is int32"},
    {"sq=8/sk=40", [](Problem& p) { p.query_type = fp32; }, "q = fp32: must be bf16, fp16 or fp8"},
    {"sq=8/sk=40", [](Problem& p) { p.kv_type = e8m0; }, "kv = e8m0: must be bf16, fp16, fp8 or mxfp4"},
    {"sq=8/sk=40", [](Problem& p) { p.query_type = mxfp4; }, "q = mxfp4: must be bf16, fp16 or fp8"},
    {"sq=8/sk=40/kv=mxfp4/page=32/quant=tensor", nullptr,
     "quant = tensor: must be mx, or absent, with kv=mxfp4, whose scales are of blocks of 32"},
    {"sq=8/sk=40/kv=mxfp4/page=32/quant=none", nullptr,
     "quant = none: must be mx, or absent, with kv=mxfp4, whose scales are of blocks of 32"},
    {"sq=8/sk=40/kv=mxfp4", nullptr,
     "page = 16: must be a multiple of 32 with kv=mxfp4: V has a scale for every 32 tokens of a column"},
    {"sq=8/sk=40/kv=mxfp4/page=32/layout=vectorized", nullptr,
     "layout = vectorized: must be linear or hnd with kv=mxfp4"},
    {"sq=8/sk=40/o=fp8", nullptr, "o = fp8: must be bf16 or fp16"},
    {"sq=8/sk=40/kv=bf16/quant=mx", nullptr, "quant = mx: needs kv=fp8"},
    {"sq=8/sk=40/page=1/layout=vectorized", nullptr,
     "layout = vectorized: needs pages of a multiple of 16 bytes of elements (page=16 and up), or "
     "layout=linear"},
    {"sq=8/sk=40/strided=1/interleaved=1", nullptr,
     "interleaved = 1: must be absent with strided=1, whose pools lie in one allocation with other bytes "
     "between their pages"},
    {"sq=8/sk=40/tree=8", nullptr,
     "tree = 8: needs causal=1: a tree hides some of the keys that the causal mask leaves"},
    {"sq=8/sk=40/causal=1", [](Problem& p) { p.tree_nodes = 65; },
     "tree = 65: must be from 0 (none) to 64 nodes"},
    {"sq=8,9/sk=40/mode=batch", nullptr,
     "mode = batch: needs equal query lengths; ragged ones need mode=group"},
    {"sq=8/sk=40/window=5:5/causal=1", nullptr,
     "window = 5:5: must be LEFT:0 with causal=1, which hides all later keys"},
    {"sq=8/sk=40", [](Problem& p) { p.window = Window{-1, 0}; },
     "window = -1:0: must be two numbers of tokens >= 0"},
    {"sq=8/sk=40", [](Problem& p) { p.sink_tokens = -4; }, "sink = -4: must be >= 0"},
    {"sq=8/sk=40", [](Problem& p) { p.soft_cap = NAN; }, "cap = nan: must be from 0 (none) to 10000"},
    {"sq=8/sk=40/cap=10001", nullptr, "cap = 10001: must be from 0 (none) to 10000"},
    {"sq=8/sk=40/scale=-1", nullptr, "scale = -1: must be finite, > 0 and no subnormal number"},
    {"sq=8/sk=40/scale=1e-44", nullptr, "scale = 1e-44: must be finite, > 0 and no subnormal number"},
    {"sq=8/sk=40/scale=0", nullptr, "scale = 0: must be finite, > 0 and no subnormal number"},
    {"sq=8/sk=40/paged=0/order=lru", nullptr,
     "order = lru: must be absent with paged=0, whose pages are consecutive"},
    {"sq=8/sk=40", [](Problem& p) { p.spare_pages = -1; }, "spare = -1: must be >= 0"},
    {"sq=8/sk=40", [](Problem& p) { p.own.emplace<SparseLists>(); },
     "lists = sparse: must be absent, only sparse_prefill has lists of rows"},
    {"sq=8/sk=40", [](Problem& p) { p.own.emplace<SparseLists>().format = RowFormat::packed; },
     "format = packed: must be absent, only sparse_prefill has formats of rows"},
};

struct MalformedTensors {
  const char* text;
  std::function<void(Tensors&)> spoil;
  const char* error;
};

template <class T> auto put(Tensor Tensors::* tensor, int64_t index, T value) {
  return [=](Tensors& t) { (t.*tensor).template as<T>()[index] = value; };
}
auto replace(Tensor Tensors::* tensor, ElementType type, std::vector<int64_t> shape) {
  return [=](Tensors& t) { t.*tensor = Tensor(type, shape); };
}

constexpr const char* sglang = "sq=8,9/sk=40,20";
constexpr const char* vllm = "sq=8,9/sk=40,20/table=vllm";
constexpr const char* unpaged = "sq=8,9/sk=40,20/paged=0";
constexpr const char* unpaged_vllm = "sq=8,9/sk=40,20/table=vllm/paged=0";
constexpr const char* strided = "sq=8/sk=40/kv=fp8/strided=1";
constexpr const char* interleaved = "sq=8/sk=40/kv=fp8/layout=hnd/interleaved=1";
constexpr const char* tree = "sq=8,40/sk=40,60/causal=1/tree=36";
constexpr const char* scaled = "sq=8,9/sk=40,20/kv=fp8/q=fp8/quant=tensor";
constexpr const char* by_page = "sq=8,9/sk=40,20/kv=fp8/q=fp8/quant=page";
constexpr const char* mx = "sq=8,9/sk=40,20/kv=fp8/q=fp8/quant=mx/page=32";
constexpr const char* mxfp4_keys = "sq=8,9/sk=40,20/kv=mxfp4/q=fp8/page=32";
constexpr const char* strided_mxfp4 = "sq=8/sk=40/kv=mxfp4/q=fp8/page=32/strided=1";
constexpr float nan = NAN, infinity = INFINITY;

const MalformedTensors malformed_tensors[] = {
    // shapes and types
    {sglang, replace(&Tensors::q, bf16, {17, 4, 64}), "q = bf16 [17, 4, 64]: must be bf16 [17, 4, 128]"},
    {sglang, replace(&Tensors::q, fp16, {17, 4, 128}), "q = fp16 [17, 4, 128]: must be bf16 [17, 4, 128]"},
    {sglang, replace(&Tensors::k_pool, bf16, {7, 2, 16, 16, 8}),
     "k_pool = bf16 [7, 2, 16, 16, 8]: must be bf16 [7, 16, 2, 128]"},
    {sglang, replace(&Tensors::v_pool, bf16, {6, 16, 2, 128}),
     "v_pool = bf16 [6, 16, 2, 128]: must be bf16 [7, 16, 2, 128]"},
    {sglang, replace(&Tensors::k_descale, fp32, {1}),
     "k_descale = fp32 [1]: must be absent for this problem"},
    {scaled, replace(&Tensors::q_descale, fp32, {}), "q_descale = fp32 []: must be fp32 [1]"},
    {by_page, replace(&Tensors::v_descale, fp32, {1}), "v_descale = fp32 [1]: must be fp32 [7, 2]"},
    {mx, replace(&Tensors::v_descale, fp32, {1}), "v_descale = fp32 [1]: must be e8m0 [5, 1, 2, 128]"},
    {mxfp4_keys, replace(&Tensors::v_pool, fp8, {5, 32, 2, 128}),
     "v_pool = fp8 [5, 32, 2, 128]: must be mxfp4 [5, 32, 2, 128]"},
    {mxfp4_keys, replace(&Tensors::k_pool, mxfp4, {5, 32, 2, 64}),
     "k_pool = mxfp4 [5, 32, 2, 64]: must be mxfp4 [5, 32, 2, 128]"},
    {"sq=8/sk=40/sinklogit=1", replace(&Tensors::sink_logit, fp32, {2}),
     "sink_logit = fp32 [2]: must be fp32 [4]"},
    {sglang, replace(&Tensors::k_original, fp32, {7, 2, 16, 128}),
     "k_original = fp32 [7, 2, 16, 128]: must be fp32 [7, 16, 2, 128]"},
    {sglang, replace(&Tensors::tree_mask, int32, {17, 2}),
     "tree_mask = int32 [17, 2]: must be absent for this problem"},
    {tree, replace(&Tensors::tree_mask, int32, {48, 1}), "tree_mask = int32 [48, 1]: must be int32 [48, 2]"},
    // Node 2 of request 0 is its query 2; node 33 of request 1 is its query 37, row 45.
    {tree, put(&Tensors::tree_mask, 4, 3),
     "tree_mask of request 0, query 2 (node 2) = 0x3: must have bit 2: a node sees itself"},
    {tree, put(&Tensors::tree_mask, 4, 12),
     "tree_mask of request 0, query 2 (node 2) = 0xc: must have no bit above 2: a node sees none that comes "
     "after it"},
    {tree, put(&Tensors::tree_mask, 91, 1),
     "tree_mask of request 1, query 37 (node 33) = 0x100000000: must have bit 33: a node sees itself"},
    {tree, put(&Tensors::tree_mask, 91, 6),
     "tree_mask of request 1, query 37 (node 33) = 0x600000000: must have no bit above 33: a node sees none "
     "that comes after it"},
    // query offsets
    {sglang, replace(&Tensors::q_indptr, int32, {2}), "q_indptr = int32 [2]: must be int32 [3]"},
    {sglang, put(&Tensors::q_indptr, 0, 1), "q_indptr[0] = 1: must be 0"},
    {sglang, put(&Tensors::q_indptr, 1, 7), "q_indptr[1] = 7: must be 8, as request 0 has 8 queries"},
    {sglang, put(&Tensors::q_indptr, 2, 5), "q_indptr[2] = 5: must not be below its predecessor 8"},
    // SGLang's table
    {sglang, put(&Tensors::kv_indptr, 1, -3), "kv_indptr[1] = -3: must not be below its predecessor 0"},
    {sglang, put(&Tensors::kv_indptr, 2, 2), "kv_indptr[2] = 2: must not be below its predecessor 3"},
    {sglang, put(&Tensors::kv_indptr, 2, 6), "kv_indptr[2] = 6: must be 5, as request 1 has 2 pages"},
    {sglang, replace(&Tensors::kv_indptr, fp32, {3}), "kv_indptr = fp32 [3]: must be int32 [3]"},
    {sglang, replace(&Tensors::kv_page_indices, int32, {4}),
     "kv_page_indices = int32 [4]: must be int32 [5] or longer"},
    {sglang, put(&Tensors::kv_page_indices, 2, 7),
     "kv_page_indices[2] = 7: must be a page of the pool, 0 to 6"},
    {sglang, put(&Tensors::kv_page_indices, 4, -1),
     "kv_page_indices[4] = -1: must be a page of the pool, 0 to 6"},
    {sglang, put(&Tensors::kv_last_page_lens, 0, 0),
     "kv_last_page_lens[0] = 0: must be 1 to 16, the page size"},
    {sglang, put(&Tensors::kv_last_page_lens, 1, 17),
     "kv_last_page_lens[1] = 17: must be 1 to 16, the page size"},
    {sglang, put(&Tensors::kv_last_page_lens, 1, 5),
     "kv_last_page_lens[1] = 5: must be 4, as request 1 has 20 keys"},
    {sglang, replace(&Tensors::kv_last_page_lens, int32, {}),
     "kv_last_page_lens = int32 []: must be int32 [2]"},
    // vLLM's table
    {vllm, replace(&Tensors::block_table, int32, {2, 2}),
     "block_table = int32 [2, 2]: must be int32 [2, 3] or wider"},
    {vllm, replace(&Tensors::block_table, int32, {10}),
     "block_table = int32 [10]: must be int32 [2, 3] or wider"},
    {vllm, put(&Tensors::block_table, 6, 99), "block_table[1, 1] = 99: must be a page of the pool, 0 to 6"},
    {vllm, put(&Tensors::block_table, 0, -2), "block_table[0, 0] = -2: must be a page of the pool, 0 to 6"},
    {vllm, put(&Tensors::seqlen_k, 1, -20), "seqlen_k[1] = -20: must be 20, the key length of request 1"},
    {vllm, put(&Tensors::seqlen_k, 0, 41), "seqlen_k[0] = 41: must be 40, the key length of request 0"},
    // consecutive pages
    {unpaged, put(&Tensors::kv_page_indices, 3, 0),
     "kv_page_indices[3] = 0: must be 3, as paged=0 needs consecutive pages from 0 on"},
    {unpaged_vllm, put(&Tensors::block_table, 6, 3),
     "block_table[1, 1] = 3: must be 4, as paged=0 needs consecutive pages from 0 on"},
    // scales
    {scaled, put(&Tensors::q_descale, 0, nan), "q_descale[0] = nan: must be finite and positive"},
    {scaled, put(&Tensors::k_descale, 0, 0.0f), "k_descale[0] = 0: must be finite and positive"},
    {scaled, put(&Tensors::v_descale, 0, -1.5f), "v_descale[0] = -1.5: must be finite and positive"},
    {scaled, put(&Tensors::v_descale, 0, 1e-43f), "v_descale[0] = 1e-43: must be no subnormal number"},
    {scaled, put(&Tensors::v_descale, 0, infinity), "v_descale[0] = inf: must be finite and positive"},
    {by_page, put(&Tensors::k_descale, 2 * 2 + 1, nan), "k_descale[2, 1] = nan: must be finite and positive"},
    {by_page, put(&Tensors::v_descale, 3 * 2 + 0, 0.0f), "v_descale[3, 0] = 0: must be finite and positive"},
    {scaled, put(&Tensors::k_descale, 0, 3e38f),
     "k_descale[0] = 3e+38: must be at most 7.595588e+35, or 448 times it is infinite in fp32"},
    {by_page, put(&Tensors::v_descale, 3 * 2 + 1, 1e36f),
     "v_descale[3, 1] = 1e+36: must be at most 7.595588e+35, or 448 times it is infinite in fp32"},
    {mx, put(&Tensors::k_descale, (2 * 32 + 7) * 8 + 3, uint8_t(0xF7)),
     "k_descale[571] = 0xF7: must be an E8M0 code up to 0xF6 (2^119), or 448 times it is infinite in fp32"},
    {mxfp4_keys, put(&Tensors::v_descale, 3, uint8_t(0xFD)),
     "v_descale[3] = 0xFD: must be an E8M0 code up to 0xFC (2^125), or 6 times it is infinite in fp32"},
    {mxfp4_keys, put(&Tensors::q_descale, 3, uint8_t(0xF7)),
     "q_descale[3] = 0xF7: must be an E8M0 code up to 0xF6 (2^119), or 448 times it is infinite in fp32"},
    {mx, put(&Tensors::q_descale, 20, uint8_t(0xFF)),
     "q_descale[20] = 0xFF: must be a number, and this E8M0 code is NaN"},
    {mx, put(&Tensors::k_descale, (2 * 32 + 7) * 8 + 3, uint8_t(0xFF)), // token 39 of request 0
     "k_descale[571] = 0xFF: must be a number, and this E8M0 code is NaN"},
    {mx, put(&Tensors::v_descale, 1 * 256 + 130, uint8_t(0xFF)),
     "v_descale[386] = 0xFF: must be a number, and this E8M0 code is NaN"},
    {"sq=8/sk=40/sinklogit=1", put(&Tensors::sink_logit, 2, nan),
     "sink_logit[2] = nan: must be finite or -inf"},
};

Problem parse(const char* text) { return parse_case(std::string("batch_prefill/h=4:2/") + text); }

struct Misplaced {
  const char* text;
  std::function<void(DeviceTensors&)> spoil;
  const char* error;
};

const void* address(uintptr_t value) { return reinterpret_cast<const void*>(value); }

const Misplaced misplaced[] = {
    {sglang, [](DeviceTensors& d) { d.q = address(0x1008); }, "q = 0x1008: must be aligned to 16 bytes"},
    {sglang, [](DeviceTensors& d) { d.v_pool = address(0x1001); },
     "v_pool = 0x1001: must be aligned to 16 bytes"},
    {sglang, [](DeviceTensors& d) { d.k_pool = nullptr; },
     "k_pool = null: must be a device pointer for this problem"},
    {sglang, [](DeviceTensors& d) { d.kv_page_indices = nullptr; },
     "kv_page_indices = null: must be a device pointer for this problem"},
    {vllm, [](DeviceTensors& d) { d.block_table = nullptr; },
     "block_table = null: must be a device pointer for this problem"},
    {scaled, [](DeviceTensors& d) { d.k_descale = address(0x1002); },
     "k_descale = 0x1002: must be aligned to 4 bytes"},
    {mx, [](DeviceTensors& d) { d.k_descale = address(0x1004); },
     "k_descale = 0x1004: must be aligned to 16 bytes"},
    {sglang, [](DeviceTensors& d) { d.k_page_stride = 8192; },
     "k_page_stride = 8192: must be 0 (pages lie together) without strided=1"},
    {strided, [](DeviceTensors& d) { d.v_page_stride = 4095; },
     "v_page_stride = 4095: must be at least 4096, the elements of a page, or 0"},
    {strided, [](DeviceTensors& d) { d.k_page_stride = 4104; },
     "k_page_stride = 4104: must be a multiple of 16 elements, 16 bytes"},
    {strided_mxfp4, [](DeviceTensors& d) { d.k_page_stride = 8208; },
     "k_page_stride = 8208: must be a multiple of 32 elements, 16 bytes"},
    {interleaved, [](DeviceTensors& d) { d.k_page_stride = 0; },
     "k_page_stride = 0: must be 8192, two pages' elements, with interleaved=1"},
    {interleaved, [](DeviceTensors& d) { d.v_page_stride = 8208; },
     "v_page_stride = 8208: must be 8192, two pages' elements, with interleaved=1"},
    {interleaved, [](DeviceTensors& d) { d.v_pool = d.k_pool; },
     "v_pool = 0x1000: must be 0x2000, a page behind k_pool, with interleaved=1"},
    {tree, [](DeviceTensors& d) { d.tree_mask = nullptr; },
     "tree_mask = null: must be a device pointer for this problem"},
    {tree, [](DeviceTensors& d) { d.tree_mask = static_cast<const uint64_t*>(address(0x1004)); },
     "tree_mask = 0x1004: must be aligned to 8 bytes"},
    {"sq=8/sk=40/lse=1", [](DeviceTensors& d) { d.lse = nullptr; },
     "lse = null: must be a device pointer for this problem"},
};

} // namespace

TEST_CASE("well-formed problems pass, poison where nothing may be read included") {
  for (const char* text : {sglang,
                           vllm,
                           unpaged,
                           unpaged_vllm,
                           scaled,
                           by_page,
                           mx,
                           "sq=8/sk=40/sinklogit=1",
                           "sq=0,3/sk=7,0",
                           "sq=0/sk=0/table=vllm",
                           "sq=5/sk=33/kv=fp8/quant=mx/page=16/q=fp8",
                           "sq=3/sk=100/kv=fp8/quant=page/layout=vectorized/page=64/d=256",
                           "sq=3/sk=100/kv=fp8/quant=page/layout=hnd/page=64/d=256",
                           "sq=3/sk=10/layout=hnd/page=1",
                           "sq=3/sk=100/interleaved=1/paged=0",
                           mxfp4_keys,
                           "sq=3/sk=100/kv=mxfp4/q=bf16/layout=hnd/page=64/d=256",
                           "sq=3/sk=10/kv=mxfp4/page=32/interleaved=1",
                           tree,
                           "sq=70,3,0/sk=90,2,9/causal=1/tree=64"}) {
    CAPTURE(text);
    const Problem problem = parse(text);
    REQUIRE_NOTHROW(validate_problem(problem));
    REQUIRE_NOTHROW(validate_tensors(problem, valid_tensors(problem)));
  }
  // The scale of an unused slot, and of a block of 32 keys that no request reaches.
  const Problem problem = parse("sq=5/sk=33/kv=fp8/quant=mx/page=64/q=fp8");
  Tensors tensors = valid_tensors(problem);
  tensors.k_descale.as<uint8_t>()[33 * 8] = 0xFF;
  tensors.k_descale.as<uint8_t>()[0] = 0xF6; // the largest
  REQUIRE_NOTHROW(validate_tensors(problem, tensors));
  const Problem pairs = parse(mxfp4_keys);
  tensors = valid_tensors(pairs);
  tensors.k_descale.as<uint8_t>()[0] = tensors.v_descale.as<uint8_t>()[0] = 0xFC; // the largest
  REQUIRE_NOTHROW(validate_tensors(pairs, tensors));
  const Problem scaled = parse("sq=5/sk=33/kv=fp8/quant=tensor");
  tensors = valid_tensors(scaled);
  tensors.v_descale.as<float>()[0] = std::numeric_limits<float>::max() / 448;
  REQUIRE_NOTHROW(validate_tensors(scaled, tensors));
}

TEST_CASE("malformed problems are refused by key, value and what would be right") {
  for (const MalformedProblem& row : malformed_problems) {
    CAPTURE(row.text);
    Problem problem = parse(row.text);
    if (row.spoil) row.spoil(problem);
    REQUIRE_THROWS_WITH(validate_problem(problem), row.error);
  }
  REQUIRE_THROWS_WITH(validate_problem(parse_case("append_prefill/h=4:2/sq=8/sk=40/d=256")),
                      "d = 256: must be 64 or 128 of append_prefill");
}

TEST_CASE("malformed tensors are refused by name, place, value and what would be right") {
  for (const MalformedTensors& row : malformed_tensors) {
    CAPTURE(row.text, row.error);
    const Problem problem = parse(row.text);
    Tensors tensors = valid_tensors(problem);
    row.spoil(tensors);
    REQUIRE_THROWS_WITH(validate_tensors(problem, tensors), row.error);
  }
}

TEST_CASE("device pointers that are missing or misaligned are refused") {
  for (const Misplaced& row : misplaced) {
    CAPTURE(row.text, row.error);
    const void* const there = address(0x1000);
    const auto* const table = static_cast<const int32_t*>(there);
    DeviceTensors device;
    device.q = device.k_pool = device.v_pool = there;
    device.q_descale = device.k_descale = device.v_descale = there;
    device.sink_logit = static_cast<const float*>(there);
    device.q_indptr = table;
    device.tree_mask = static_cast<const uint64_t*>(there);
    device.kv_indptr = device.kv_page_indices = device.kv_last_page_lens = table;
    device.block_table = device.seqlen_k = table;
    device.output = const_cast<void*>(there);
    device.lse = reinterpret_cast<float*>(0x1000);
    const Problem problem = parse(row.text);
    if (problem.strided) device.k_page_stride = device.v_page_stride = 2 * problem.page_elements() + 32;
    if (problem.interleaved) {
      device.k_page_stride = device.v_page_stride = 2 * problem.page_elements();
      device.v_pool = address(0x1000 + 4096); // two heads of 16 rows of 128 bytes
    }
    REQUIRE_NOTHROW(validate_device_tensors(problem, device));
    row.spoil(device);
    REQUIRE_THROWS_WITH(validate_device_tensors(problem, device), row.error);
  }
}
