// Malformed problems and tensors of sparse_prefill, each with the exact text of its refusal.
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/support/sparse_case.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <functional>

using namespace fmha950;
using namespace fmha950::test;

namespace {

using enum ElementType;

constexpr const char* head = "sparse_prefill/h=16/n=3/pool=10/chunk=7/scale=1";
constexpr const char* lengths = "sparse_prefill/h=16/n=3/pool=10/chunk=7/scale=1/prefix=1,0,2/extend=3";

struct MalformedProblem {
  const char* text;
  std::function<void(Problem&)> spoil;
  const char* error;
};

const MalformedProblem malformed_problems[] = {
    {head, [](Problem& p) { p.own = {}; }, "lists = absent: must be given for sparse_prefill"},
    {"sparse_prefill/h=24/n=3/pool=10/chunk=7/scale=1", nullptr, "h = 24: must be a multiple of 16"},
    {head, [](Problem& p) { p.query_heads = 0; }, "h = 0: must be a multiple of 16"},
    {head, [](Problem& p) { p.kv_heads = 2; }, "h = 16:2: query heads must share one KV head"},
    {head, [](Problem& p) { sparse_lists(p)->tokens = 0; }, "n = 0: must be from 1 to 1048576 tokens"},
    {"sparse_prefill/h=4096/n=1048576/pool=10/chunk=7/scale=1", nullptr,
     "n = 1048576: must have less than 2^31 rows of Q, n * h"},
    {head, [](Problem& p) { sparse_lists(p)->pool_rows = -1; },
     "pool = -1: must be from 0 to 134217728 rows"},
    {head, [](Problem& p) { sparse_lists(p)->chunk_rows = (1 << 27) + 1; },
     "chunk = 134217729: must be from 0 to 134217728 rows"},
    {lengths, [](Problem& p) { sparse_lists(p)->prefix_lengths.pop_back(); },
     "prefix = 1,0: must be one length for each of n tokens with lists of given lengths, and absent with "
     "others"},
    {head, [](Problem& p) { sparse_lists(p)->extend_lengths = {1, 1, 1}; },
     "extend = 1,1,1: must be one length for each of n tokens with lists of given lengths, and absent with "
     "others"},
    {lengths, [](Problem& p) { sparse_lists(p)->prefix_lengths[1] = -1; },
     "prefix = 1,-1,2: must be rows from 0 to 134217728, and 0 where there are none to list"},
    {"sparse_prefill/h=16/n=2/pool=4/chunk=0/scale=1/prefix=1/extend=0,1", nullptr,
     "extend = 0,1: must be rows from 0 to 134217728, and 0 where there are none to list"},
    {"sparse_prefill/h=16/n=20/pool=134217728/chunk=0/scale=1/lists=dense", nullptr,
     "prefix = 2684354560 ids: must sum to less than 2^31 ids, as their indptr is int32"},
    {"sparse_prefill/h=16/n=20/pool=1/chunk=1/scale=1/prefix=1/extend=134217728", nullptr,
     "extend = 2684354560 ids: must sum to less than 2^31 ids, as their indptr is int32"},
    {head, [](Problem& p) { p.requests[0].key_length = 6; },
     "requests = 3:6: must be one, of all tokens and the most rows that one of them can list"},
    {head, [](Problem& p) { p.requests.push_back({3, 5}); },
     "requests = 3:5,3:5: must be one, of all tokens and the most rows that one of them can list"},
    {head, [](Problem& p) { p.head_dim = 576; }, "d = 576: must be 512"},
    {head, [](Problem& p) { p.kv_type = fp16; }, "kv = fp16: must be bf16 or fp8"},
    {head, [](Problem& p) { p.query_type = fp8; }, "q = fp8: must be KV's type"},
    {head, [](Problem& p) { p.output_type = fp16; }, "o = fp16: must be bf16"},
    {head, [](Problem& p) { sparse_lists(p)->format = RowFormat::packed; }, "format = packed: needs kv=fp8"},
    {head, [](Problem& p) { p.scale.reset(); },
     "scale = absent: must be given, finite, > 0 and no subnormal number"},
    {head, [](Problem& p) { p.scale = -0.5f; },
     "scale = -0.5: must be given, finite, > 0 and no subnormal number"},
    {head, [](Problem& p) { p.scale = 1e-40f; },
     "scale = 1e-40: must be given, finite, > 0 and no subnormal number"},
    // what only the other operators have
    {head, [](Problem& p) { p.causal = true; }, "causal = 1: must be absent, sparse_prefill has none"},
    {head, [](Problem& p) { p.page_size = 64; }, "page = 64: must be absent, sparse_prefill has none"},
    {head, [](Problem& p) { p.quantisation = Quantisation::mx; },
     "quant = mx: must be absent, sparse_prefill has none"},
    {head, [](Problem& p) { p.trace = TraceSlice{"azure_conv", 0, 1, 1}; },
     "trace = azure_conv@0+1: must be absent, sparse_prefill has none"},
};

// fp8 rows: token 0 lists 1 + 3 rows, token 1 0 + 3, token 2 2 + 3.
SparseCase sparse_case(std::optional<RowFormat> format) {
  std::mt19937 random(1);
  Problem problem = sparse_problem(16, format, 10, 7, {1, 0, 2}, {3, 3, 3});
  problem.sink_logit = true;
  return make_sparse_case(problem, random);
}

struct MalformedTensors {
  std::optional<RowFormat> format;
  std::function<void(Tensors&)> spoil;
  const char* error;
};

template <class T> void put(Tensor& tensor, int64_t index, T value) { tensor.as<T>()[index] = value; }

constexpr auto split = RowFormat::split, packed = RowFormat::packed;
constexpr std::nullopt_t whole = std::nullopt; // bf16

const MalformedTensors malformed_tensors[] = {
    // shapes and types
    {split, [](Tensors& t) { sparse_tensors(t).q.nope = Tensor(fp8, {48, 512}); },
     "q.nope = fp8 [48, 512]: must be fp8 [48, 448]"},
    {packed, [](Tensors& t) { sparse_tensors(t).pool.nope = Tensor(fp8, {10, 448}); },
     "pool.nope = fp8 [10, 448]: must be fp8 [10, 512]"},
    {whole, [](Tensors& t) { sparse_tensors(t).chunk.nope = Tensor(bf16, {8, 512}); },
     "chunk.nope = bf16 [8, 512]: must be bf16 [7, 512]"},
    {split, [](Tensors& t) { sparse_tensors(t).pool.rope = Tensor(); },
     "pool.rope = fp32 []: must be bf16 [10, 64]"},
    {whole, [](Tensors& t) { sparse_tensors(t).pool.rope = Tensor(bf16, {10, 64}); },
     "pool.rope = bf16 [10, 64]: must be absent for this problem"},
    {split, [](Tensors& t) { sparse_tensors(t).chunk.scale = Tensor(e8m0, {7, 14}); },
     "chunk.scale = e8m0 [7, 14]: must be fp32 [7, 7]"},
    {packed, [](Tensors& t) { sparse_tensors(t).q.scale = Tensor(fp32, {48, 7}); },
     "q.scale = fp32 [48, 7]: must be absent for this problem"},
    {split, [](Tensors& t) { sparse_tensors(t).q.original = Tensor(fp32, {48, 448}); },
     "q.original = fp32 [48, 448]: must be fp32 [48, 512]"},
    {split, [](Tensors& t) { t.sink_logit = Tensor(fp32, {48}); },
     "sink_logit = fp32 [48]: must be fp32 [16]"},
    {split, [](Tensors& t) { put(t.sink_logit, 3, INFINITY); },
     "sink_logit[3] = inf: must be finite or -inf"},
    // lists
    {split, [](Tensors& t) { sparse_tensors(t).prefix_indptr = Tensor(int32, {3}); },
     "prefix_indptr = int32 [3]: must be int32 [4]"},
    {split, [](Tensors& t) { sparse_tensors(t).extend_indptr = Tensor(fp32, {4}); },
     "extend_indptr = fp32 [4]: must be int32 [4]"},
    {split, [](Tensors& t) { put(sparse_tensors(t).prefix_indptr, 0, 1); },
     "prefix_indptr[0] = 1: must be 0"},
    {split, [](Tensors& t) { put(sparse_tensors(t).extend_indptr, 2, 2); },
     "extend_indptr[2] = 2: must not be below its predecessor 3"},
    {split, [](Tensors& t) { put(sparse_tensors(t).extend_indptr, 3, 8); },
     "extend_indptr[3] = 8: must be 9, as token 2 lists 3 rows"},
    {split, [](Tensors& t) { sparse_tensors(t).prefix_indices = Tensor(int32, {2}); },
     "prefix_indices = int32 [2]: must be int32 [3] or longer"},
    {split, [](Tensors& t) { sparse_tensors(t).prefix_indices = Tensor(int32, {3, 1}); },
     "prefix_indices = int32 [3, 1]: must be int32 [3] or longer"},
    {split, [](Tensors& t) { put(sparse_tensors(t).prefix_indices, 2, 10); },
     "prefix_indices[2] = 10: must be a row, 0 to 9"},
    {split, [](Tensors& t) { put(sparse_tensors(t).extend_indices, 8, -1); },
     "extend_indices[8] = -1: must be a row, 0 to 6"},
    // scales
    {split, [](Tensors& t) { put(sparse_tensors(t).q.scale, 47 * 7 + 6, NAN); },
     "q.scale[47, 6] = nan: must be a positive power of two and no subnormal number"},
    {split, [](Tensors& t) { put(sparse_tensors(t).q.scale, 0, 3.0f); },
     "q.scale[0, 0] = 3: must be a positive power of two and no subnormal number"},
    {split, [](Tensors& t) { put(sparse_tensors(t).q.scale, 0, -2.0f); },
     "q.scale[0, 0] = -2: must be a positive power of two and no subnormal number"},
    {split, [](Tensors& t) { put(sparse_tensors(t).q.scale, 0, 0.0f); },
     "q.scale[0, 0] = 0: must be a positive power of two and no subnormal number"},
    {split, [](Tensors& t) { put(sparse_tensors(t).q.scale, 0, INFINITY); },
     "q.scale[0, 0] = inf: must be a positive power of two and no subnormal number"},
    {split, [](Tensors& t) { put(sparse_tensors(t).q.scale, 0, 0x1p-127f); },
     "q.scale[0, 0] = 5.877472e-39: must be a positive power of two and no subnormal number"},
    {split, [](Tensors& t) { put(sparse_tensors(t).q.scale, 0, 0x1p120f); },
     "q.scale[0, 0] = 1.329228e+36: must be at most 2^119, or 448 times it is infinite in fp32"},
    {packed, [](Tensors& t) { put(sparse_tensors(t).q.nope, 448, uint8_t{0xF7}); },
     "q.nope[0, 448] = 0xF7: must be an E8M0 code up to 0xF6 (2^119), or 448 times it is infinite in fp32"},
    {packed, [](Tensors& t) { put(sparse_tensors(t).q.nope, 47 * 512 + 461, uint8_t{0xFF}); },
     "q.nope[47, 461] = 0xFF: must be a number, and this E8M0 code is NaN"},
    {packed, [](Tensors& t) { put(sparse_tensors(t).q.nope, 448, uint8_t{0xFF}); },
     "q.nope[0, 448] = 0xFF: must be a number, and this E8M0 code is NaN"},
};

struct Misplaced {
  std::optional<RowFormat> format;
  std::function<void(DeviceTensors&)> spoil;
  const char* error;
};

const Misplaced misplaced[] = {
    {split, [](DeviceTensors& d) { sparse_tensors(d).q.nope = nullptr; },
     "q.nope = null: must be a device pointer for this problem"},
    {packed, [](DeviceTensors& d) { sparse_tensors(d).pool.rope = nullptr; },
     "pool.rope = null: must be a device pointer for this problem"},
    {split, [](DeviceTensors& d) { sparse_tensors(d).chunk.scale = reinterpret_cast<const float*>(0x1004); },
     "chunk.scale = 0x1004: must be aligned to 16 bytes"},
    {whole, [](DeviceTensors& d) { sparse_tensors(d).pool.nope = reinterpret_cast<const void*>(0x1008); },
     "pool.nope = 0x1008: must be aligned to 16 bytes"},
    {split, [](DeviceTensors& d) { sparse_tensors(d).extend_indptr = nullptr; },
     "extend_indptr = null: must be a device pointer for this problem"},
    {split,
     [](DeviceTensors& d) { sparse_tensors(d).prefix_indices = reinterpret_cast<const int32_t*>(0x1002); },
     "prefix_indices = 0x1002: must be aligned to 4 bytes"},
    {split, [](DeviceTensors& d) { d.sink_logit = nullptr; },
     "sink_logit = null: must be a device pointer for this problem"},
    {split, [](DeviceTensors& d) { d.output = nullptr; },
     "output = null: must be a device pointer for this problem"},
    {split, [](DeviceTensors& d) { d.lse = nullptr; },
     "lse = null: must be a device pointer for this problem"},
};

DeviceTensors placed() {
  const void* const there = reinterpret_cast<const void*>(0x1000);
  const auto* const ids = static_cast<const int32_t*>(there);
  const DeviceSparseRows rows{there, there, static_cast<const float*>(there)};
  DeviceTensors device;
  sparse_tensors(device) = {rows, rows, rows, ids, ids, ids, ids};
  device.sink_logit = static_cast<const float*>(there);
  device.output = const_cast<void*>(there);
  device.lse = reinterpret_cast<float*>(0x1000);
  return device;
}

} // namespace

TEST_CASE("sparse_prefill: well-formed problems pass, poison where nothing may be read included") {
  for (const auto& format : {std::optional(split), std::optional(packed), std::optional<RowFormat>()}) {
    const SparseCase c = sparse_case(format);
    REQUIRE_NOTHROW(validate_problem(c.problem));
    REQUIRE_NOTHROW(validate_tensors(c.problem, c.tensors));
    REQUIRE_NOTHROW(validate_device_tensors(c.problem, placed()));
  }
}

TEST_CASE("sparse_prefill: a pool or a chunk may be empty, and lists too") {
  std::mt19937 random(1);
  const SparseCase c = make_sparse_case(sparse_problem(16, split, 0, 5, {0, 0}, {0, 0}), random);
  Tensors tensors = c.tensors;
  sparse_tensors(tensors).prefix_indices = sparse_tensors(tensors).extend_indices =
      Tensor(); // not even padding
  REQUIRE_NOTHROW(validate_problem(c.problem));
  REQUIRE_NOTHROW(validate_tensors(c.problem, tensors));
  DeviceTensors device = placed();
  sparse_tensors(device).pool = sparse_tensors(device).chunk = {};
  sparse_tensors(device).prefix_indices = sparse_tensors(device).extend_indices = nullptr;
  REQUIRE_NOTHROW(validate_device_tensors(c.problem, device));
}

TEST_CASE("sparse_prefill: malformed problems are refused by key, value and what would be right") {
  for (const MalformedProblem& row : malformed_problems) {
    CAPTURE(row.error);
    Problem problem = parse_case(row.text);
    if (row.spoil) {
      REQUIRE_NOTHROW(validate_problem(problem));
      row.spoil(problem);
    }
    REQUIRE_THROWS_WITH(validate_problem(problem), row.error);
  }
}

TEST_CASE("sparse_prefill: malformed tensors are refused by name, place, value and what would be right") {
  for (const MalformedTensors& row : malformed_tensors) {
    CAPTURE(row.error);
    SparseCase c = sparse_case(row.format);
    row.spoil(c.tensors);
    REQUIRE_THROWS_WITH(validate_tensors(c.problem, c.tensors), row.error);
  }
}

TEST_CASE("sparse_prefill: scales are looked at in the rows that lists name, of pool and chunk") {
  for (const bool of_chunk : {false, true}) {
    for (const RowFormat format : {split, packed}) {
      SparseCase c = sparse_case(format);
      SparseTensors& t = sparse_tensors(c.tensors);
      const int64_t row = (of_chunk ? t.extend_indices : t.prefix_indices).as<int32_t>()[2];
      SparseRows& rows = of_chunk ? t.chunk : t.pool;
      const std::string name = of_chunk ? "chunk" : "pool";
      if (format == split) {
        put(rows.scale, row * 7 + 5, -1.0f);
        REQUIRE_THROWS_WITH(validate_tensors(c.problem, c.tensors),
                            Catch::StartsWith(name + ".scale[" + std::to_string(row) + ", 5] = -1: "));
      } else {
        put(rows.nope, row * 512 + 450, uint8_t{0xFF});
        REQUIRE_THROWS_WITH(validate_tensors(c.problem, c.tensors),
                            Catch::StartsWith(name + ".nope[" + std::to_string(row) + ", 450] = 0xFF: "));
      }
    }
  }
}

TEST_CASE("sparse_prefill: lists that are not as long as their kind allows") {
  const auto refusal = [](ListKind kind) {
    SparseCase c = sparse_case(split); // prefix lists of 1, 0 and 2 of 10 rows, extend lists of 3 of 7
    sparse_lists(c.problem)->kind = kind;
    sparse_lists(c.problem)->prefix_lengths = sparse_lists(c.problem)->extend_lengths = {};
    try {
      validate_tensors(c.problem, c.tensors);
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  REQUIRE(refusal(ListKind::dense) == "prefix_indptr[1] = 1: must be 10, as every token lists all 10 rows");
  REQUIRE(refusal(ListKind::sparse) ==
          "extend_indptr[1] = 3: must be at most 2, as no list of this kind has more than 2 rows");
  REQUIRE(refusal(ListKind::empty) == refusal(ListKind::sparse));
}

TEST_CASE("sparse_prefill: device pointers that are missing or misaligned are refused") {
  for (const Misplaced& row : misplaced) {
    CAPTURE(row.error);
    const SparseCase c = sparse_case(row.format);
    DeviceTensors device = placed();
    row.spoil(device);
    REQUIRE_THROWS_WITH(validate_device_tensors(c.problem, device), row.error);
  }
}
