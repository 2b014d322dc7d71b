// append_prefill: what is refused before anything is launched, each with its exact text.
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

using namespace fmha950;

namespace {

using enum ElementType;

// Request 0 appends tokens 40 to 69 to pages 2 to 4, request 1 tokens 0 to 6 to page 5; pages 0 and 1 are
// old.
constexpr const char* sglang = "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64";
constexpr const char* vllm = "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/table=vllm";
constexpr int64_t pool_pages = 8;

Tensor ints(const std::vector<int32_t>& values, std::vector<int64_t> shape) {
  Tensor tensor(int32, std::move(shape));
  std::ranges::copy(values, tensor.as<int32_t>().begin());
  return tensor;
}

Tensors valid_tensors(const Problem& p) {
  Tensors t;
  t.q = Tensor(p.query_type, {37, 4, 64});
  t.k_new = Tensor(p.query_type, {37, 2, 64});
  t.v_new = Tensor(p.query_type, {37, 2, 64});
  t.k_pool = Tensor(fp8, {pool_pages, 16, 2, 64});
  t.v_pool = Tensor(fp8, {pool_pages, 16, 2, 64});
  t.k_descale = Tensor(fp32, {1});
  t.v_descale = Tensor(fp32, {1});
  t.k_descale.as<float>()[0] = t.v_descale.as<float>()[0] = 0.01f;
  t.q_indptr = ints({0, 30, 37}, {3});
  if (p.page_table == PageTable::sglang) {
    t.kv_indptr = ints({0, 5, 6}, {3});
    t.kv_page_indices = ints({0, 1, 2, 3, 4, 5, -1}, {7});
    t.kv_last_page_lens = ints({6, 7}, {2});
  } else {
    t.block_table = ints({0, 1, 2, 3, 4, -1, 5, -1, -1, -1, -1, -1}, {2, 6});
    t.seqlen_k = ints({70, 7}, {2});
  }
  return t;
}

struct MalformedProblem {
  std::function<void(Problem&)> spoil;
  const char* error;
};

const MalformedProblem malformed_problems[] = {
    {[](Problem& p) { p.head_dim = 256; }, "d = 256: must be 64 or 128 for append_prefill"},
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
    {[](Problem& p) { p.window = Window{8, 0}; }, "window = 8:0: must be absent, append_prefill has none"},
    {[](Problem& p) { p.sink_tokens = 4; }, "sink = 4: must be absent, append_prefill has no window"},
    {[](Problem& p) { p.requests[1].key_length = 6; },
     "sq:sk = 30:70,7:6: must have sq <= sk in every request, as sk counts the chunk of sq tokens"},
    {[](Problem& p) { p.calls = 0; }, "calls = 0: must be from 1 to 1024"},
    {[](Problem& p) { p.page_size = 48; }, "page = 48: must be 1, 16, 32, 64, 128 or 1024 tokens"},
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
    {sglang, scale(&Tensors::v_descale, 1e-40f),
     "v_scale[0] = 1e-40: must be finite, > 0 and no subnormal number"},
    {sglang, replace(&Tensors::q_descale, fp32, {1}),
     "q_descale = fp32 [1]: must be absent for this problem"},
    // The chunk and the cache.
    {sglang, replace(&Tensors::k_new, fp16, {37, 2, 64}),
     "k_new = fp16 [37, 2, 64]: must be bf16 [37, 2, 64]"},
    {sglang, replace(&Tensors::v_new, bf16, {36, 2, 64}),
     "v_new = bf16 [36, 2, 64]: must be bf16 [37, 2, 64]"},
    {sglang, replace(&Tensors::v_new, bf16, {37, 4, 64}),
     "v_new = bf16 [37, 4, 64]: must be bf16 [37, 2, 64]"},
    {sglang, replace(&Tensors::k_pool, bf16, {8, 16, 2, 64}),
     "k_cache = bf16 [8, 16, 2, 64]: must be fp8 [8, 16, 2, 64]"},
    {sglang, replace(&Tensors::v_pool, fp8, {7, 16, 2, 64}),
     "v_cache = fp8 [7, 16, 2, 64]: must be fp8 [8, 16, 2, 64]"},
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

// Everything 64 KiB apart.
struct Placed {
  Problem problem;
  Tensors tensors;
  DeviceTensors device;
};

constexpr uintptr_t apart = 0x10000;

void* address(uintptr_t number) { return reinterpret_cast<void*>(number * apart); }

Placed placed(const char* text) {
  Placed p{parse_case(text), {}, {}};
  p.tensors = valid_tensors(p.problem);
  DeviceTensors& d = p.device;
  d.k_pool = d.k_cache = address(1);
  d.v_pool = d.v_cache = address(2);
  d.q = address(3);
  d.k_new = address(4);
  d.v_new = address(5);
  d.k_descale = address(6);
  d.v_descale = address(7);
  const auto table = [](uintptr_t number) { return static_cast<const int32_t*>(address(number)); };
  d.q_indptr = table(8);
  d.kv_indptr = table(9);
  d.kv_page_indices = table(10);
  d.kv_last_page_lens = table(11);
  d.block_table = table(12);
  d.seqlen_k = table(13);
  d.output = address(14);
  d.lse = static_cast<float*>(address(15));
  return p;
}

struct Misplaced {
  std::function<void(DeviceTensors&)> spoil;
  const char* error;
};

// A pool is 16 KiB, 0x4000; a chunk 37 x 2 x 64 x 2 bytes, 0x2500; the output 0x4a00; the LSE 0x250.
const Misplaced misplaced[] = {
    {[](DeviceTensors& d) { d.k_new = nullptr; }, "k_new = null: must be a device pointer for this problem"},
    {[](DeviceTensors& d) { d.v_new = static_cast<const char*>(d.v_new) + 8; },
     "v_new = 0x50008: must be aligned to 16 bytes"},
    {[](DeviceTensors& d) { d.k_descale = nullptr; },
     "k_scale = null: must be a device pointer for this problem"},
    {[](DeviceTensors& d) { d.k_cache = address(20); }, "k_cache = 0x140000: must be k_pool, 0x10000"},
    {[](DeviceTensors& d) { d.v_pool = address(20); }, "v_cache = 0x20000: must be v_pool, 0x140000"},
    {[](DeviceTensors& d) { d.v_pool = d.v_cache = d.k_cache; },
     "v_cache = 0x10000 to 0x14000: must not overlap k_cache, which the call writes (0x10000 to 0x14000)"},
    {[](DeviceTensors& d) { d.k_new = static_cast<const char*>(d.k_pool) + 0x3ff0; },
     "k_new = 0x13ff0 to 0x164f0: must not overlap k_cache, which the call writes (0x10000 to 0x14000)"},
    {[](DeviceTensors& d) { d.v_new = static_cast<const char*>(d.k_pool) - 0x24f0; },
     "v_new = 0xdb10 to 0x10010: must not overlap k_cache, which the call writes (0x10000 to 0x14000)"},
    {[](DeviceTensors& d) { d.q = d.v_pool; },
     "q = 0x20000 to 0x24a00: must not overlap v_cache, which the call writes (0x20000 to 0x24000)"},
    {[](DeviceTensors& d) { d.output = static_cast<char*>(d.v_cache) + 0x100; },
     "output = 0x20100 to 0x24b00: must not overlap v_cache, which the call writes (0x20000 to 0x24000)"},
    {[](DeviceTensors& d) { d.lse = static_cast<float*>(d.output); },
     "lse = 0xe0000 to 0xe0250: must not overlap output, which the call writes (0xe0000 to 0xe4a00)"},
    {[](DeviceTensors& d) { d.v_descale = static_cast<const char*>(d.k_pool) + 0x80; },
     "v_scale = 0x10080 to 0x10084: must not overlap k_cache, which the call writes (0x10000 to 0x14000)"},
    {[](DeviceTensors& d) { d.kv_page_indices = static_cast<const int32_t*>(d.output); },
     "kv_page_indices = 0xe0000 to 0xe001c: must not overlap output, which the call writes (0xe0000 to "
     "0xe4a00)"},
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
    REQUIRE_NOTHROW(validate_tensors(problem, valid_tensors(problem)));
  }
  for (const MalformedTensors& row : malformed_tensors) {
    CAPTURE(row.text, row.error);
    const Problem problem = parse_case(row.text);
    Tensors tensors = valid_tensors(problem);
    row.spoil(tensors);
    REQUIRE_THROWS_WITH(validate_tensors(problem, tensors), row.error);
  }
  Problem batch = parse_case("batch_prefill/h=4:2/sq=30,7/sk=70,7/d=64/kv=fp8/quant=tensor");
  Tensors tensors = valid_tensors(parse_case(sglang));
  tensors.q_descale = tensors.k_descale;
  REQUIRE_THROWS_WITH(validate_tensors(batch, tensors),
                      "k_new = bf16 [37, 2, 64]: must be absent for this problem");
}

TEST_CASE("append_prefill: requests may share pages of old tokens, and a request name one twice") {
  const Problem problem = parse_case("append_prefill/h=4:2/sq=30,7/sk=70,39/d=64");
  Tensors tensors = valid_tensors(problem);
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

TEST_CASE("append_prefill: nothing may lie in the memory that a call writes") {
  for (const char* text : {"append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/lse=1",
                           "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/lse=1/table=vllm"}) {
    const Placed p = placed(text);
    REQUIRE_NOTHROW(validate(p.problem, p.tensors, p.device));
  }
  for (const Misplaced& row : misplaced) {
    CAPTURE(row.error);
    Placed p = placed("append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/lse=1");
    row.spoil(p.device);
    REQUIRE_THROWS_WITH(validate(p.problem, p.tensors, p.device), row.error);
  }
  // Inputs may lie where they like among each other, and right behind the cache.
  Placed p = placed(sglang);
  p.device.v_new = p.device.k_new = p.device.q;
  p.device.k_descale = static_cast<const char*>(p.device.k_pool) + 0x4000;
  REQUIRE_NOTHROW(validate(p.problem, p.tensors, p.device));
}
