// NaN and infinity where they are read, and where nobody reads them.
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "interface/visibility.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/generate.hpp"
#include "workload/seen_slots.hpp"
#include "workload/validate_values.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950;
using namespace fmha950::workload;

namespace {

struct Made {
  Problem problem;
  Tensors tensors;
  explicit Made(const std::string& text) : problem(parse_case(text)), tensors(make_tensors(problem)) {}

  std::string error() const {
    validate_tensors(problem, tensors);
    try {
      validate_values(problem, tensors);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  }
};

// A code of NaN, or of infinity where the type has one.
void spoil(Tensor& tensor, int64_t index, bool infinite = false) {
  if (tensor.type() == ElementType::fp8)
    tensor.as<uint8_t>()[static_cast<size_t>(index)] = index % 2 != 0 ? 0x7F : 0xFF;
  else if (tensor.type() == ElementType::bf16)
    tensor.as<uint16_t>()[static_cast<size_t>(index)] = infinite ? 0xFF80 : 0x7FC0;
  else
    tensor.as<uint16_t>()[static_cast<size_t>(index)] = infinite ? 0x7C00 : 0xFE00;
}

// The error for one wrong element; the tensor is as before afterwards.
std::string error_of(Made& made, Tensor& tensor, int64_t index, bool infinite = false) {
  Tensor kept(tensor.type(), {1});
  const auto bytes = static_cast<size_t>(element_bytes(tensor.type()));
  std::byte* const element = tensor.data() + static_cast<size_t>(index) * bytes;
  std::copy_n(element, bytes, kept.data());
  spoil(tensor, index, infinite);
  std::string error = made.error();
  std::copy_n(kept.data(), bytes, element);
  return error;
}

} // namespace

TEST_CASE("a row of Q that is no number is refused by request, query, head and column") {
  Made made("batch_prefill/h=4:2/sq=3,5/sk=40,20/d=64");
  CHECK(made.error() == "");
  Tensor& q = made.tensors.q;
  CHECK(error_of(made, q, ((3 + 4) * 4 + 2) * 64 + 63) ==
        "q of request 1, query 4 (token 19), head 2, column 63 = nan: must be finite, as it is read");
  CHECK(error_of(made, q, 0, true) ==
        "q of request 0, query 0 (token 37), head 0, column 0 = -inf: must be finite, as it is read");
  for (const char* type : {"fp16/kv=fp16", "fp8/kv=fp8/quant=tensor"}) {
    Made others(std::string("batch_prefill/h=4:2/sq=3,5/sk=40,20/d=64/q=") + type);
    CHECK_THAT(error_of(others, others.tensors.q, 64),
               Catch::StartsWith("q of request 0, query 0 (token 37), head 1"));
  }
}

TEST_CASE("every element of every key and value that is seen is looked at, and no other") {
  for (const char* text :
       {"sq=3,9/sk=20,37", "sq=3,9/sk=20,37/kv=fp8/quant=tensor/layout=vectorized/table=vllm",
        "sq=3,9/sk=20,37/q=fp16/kv=fp16/o=fp16/layout=vectorized", "sq=2,0/sk=17,20/kv=fp8/quant=page/page=1",
        "sq=3,9/sk=60,37/window=5:0/causal=1/sink=3/kv=fp8/quant=tensor", "sq=9/sk=4/causal=1/kv=fp8",
        "sq=3,9/sk=60,37/window=5:0/causal=1/sink=3/layout=hnd/page=32", "sq=9/sk=4/layout=hnd/page=1"}) {
    CAPTURE(text);
    Made made(std::string("batch_prefill/h=2:2/d=64/spare=1/") + text);
    const Problem& p = made.problem;
    std::set<std::pair<int32_t, int>> seen; // page, slot
    for (int r = 0; r < static_cast<int>(p.requests.size()); ++r)
      for (int token = 0; token < p.requests[static_cast<size_t>(r)].key_length; ++token)
        for (int query = 0; query < p.requests[static_cast<size_t>(r)].query_length; ++query)
          if (visibility_of(p, p.requests[static_cast<size_t>(r)], query).sees(token))
            seen.emplace(page_of(p, made.tensors, r, token), token % p.page_size);
    size_t named = 0;
    for (const SeenSlots& slots : seen_slots(p, made.tensors))
      for (int slot = slots.first_slot; slot < slots.last_slot; ++slot)
        named += seen.contains({slots.page, slot});
    CHECK(named == seen.size());
    for (int page = 0; page < made.tensors.pool_pages(); ++page)
      for (int slot = 0; slot < p.page_size; ++slot)
        for (const int column : {0, 63}) {
          const bool read = seen.contains({page, slot});
          CHECK((error_of(made, made.tensors.k_pool, k_index(p, page, slot, 1, column)) != "") == read);
          CHECK((error_of(made, made.tensors.v_pool, v_index(p, page, slot, 0, column)) != "") == read);
        }
  }
}

TEST_CASE("no code of mxfp4 is refused, whatever it is") {
  Made made("batch_prefill/h=2:2/sq=3/sk=40/d=64/q=fp8/kv=mxfp4/page=32");
  for (Tensor* pool : {&made.tensors.k_pool, &made.tensors.v_pool})
    for (size_t i = 0; i < pool->bytes(); ++i) pool->as<uint8_t>()[i] = static_cast<uint8_t>(i);
  CHECK(made.error() == "");
}

TEST_CASE("a key or value that is no number is refused by request, token, head and column") {
  Made made("batch_prefill/h=4:2/sq=3,5/sk=40,20/d=64/kv=fp8/quant=tensor/order=sequential");
  const Problem& p = made.problem;
  const int page = page_of(p, made.tensors, 1, 17);
  const std::string place =
      " (page " + std::to_string(page) + ", slot 1), KV head 1, column 9 = nan: must be";
  CHECK_THAT(error_of(made, made.tensors.k_pool, k_index(p, page, 1, 1, 9)),
             Catch::StartsWith("k_pool of request 1, token 17" + place));
  CHECK_THAT(error_of(made, made.tensors.v_pool, v_index(p, page, 1, 1, 9)),
             Catch::StartsWith("v_pool of request 1, token 17" + place));
  // Of several the first by request and token.
  spoil(made.tensors.k_pool, k_index(p, page, 1, 1, 9));
  spoil(made.tensors.k_pool, k_index(p, page_of(p, made.tensors, 0, 38), 38 % 16, 0, 0));
  CHECK_THAT(made.error(), Catch::StartsWith("k_pool of request 0, token 38 "));
}

TEST_CASE("append_prefill: the chunk and the old tokens are looked at, the chunk's slots are not") {
  Made made("append_prefill/h=2:1/sq=5,4/sk=25,4/d=64");
  CHECK(made.error() == "");
  CHECK(error_of(made, append_tensors(made.tensors).k_new, 6 * 64 + 3) ==
        "k_new of request 1, query 1 (token 1), KV head 0, column 3 = nan: must be finite, as it is read");
  CHECK_THAT(error_of(made, append_tensors(made.tensors).v_new, 0, true),
             Catch::StartsWith("v_new of request 0, query 0 (token 20)"));
  const auto at = [&](int token) {
    return k_index(made.problem, page_of(made.problem, made.tensors, 0, token), token % 16, 0, 7);
  };
  CHECK_THAT(error_of(made, made.tensors.k_pool, at(19)),
             Catch::StartsWith("k_cache of request 0, token 19 "));
  CHECK_THAT(error_of(made, made.tensors.v_pool, at(19)),
             Catch::StartsWith("v_cache of request 0, token 19 "));
  CHECK(error_of(made, made.tensors.k_pool, at(20)) == "");
}

TEST_CASE("sparse_prefill: Q and listed rows are looked at, unlisted rows and padding are not") {
  const std::string head = "sparse_prefill/h=16/n=2/pool=20/chunk=9/scale=0.0442/prefix=3,2/extend=0,2";
  for (const std::string form : {"", "/kv=fp8", "/kv=fp8/format=packed"}) {
    CAPTURE(form);
    Made made(head + form);
    CHECK(made.error() == "");
    SparseTensors& t = sparse_tensors(made.tensors);
    const int64_t width = t.pool.nope.shape()[1];
    CHECK_THAT(error_of(made, t.q.nope, 17 * width + 5),
               Catch::StartsWith("q.nope of token 1, head 1, column 5 = nan: must be finite"));
    const int listed = t.prefix_indices.as<int32_t>()[0];
    CHECK_THAT(error_of(made, t.pool.nope, listed * width + 447),
               Catch::StartsWith("pool.nope of row " + std::to_string(listed) +
                                 ", which token 0 lists, column 447 ="));
    const int of_chunk = t.extend_indices.as<int32_t>()[0];
    CHECK_THAT(error_of(made, t.chunk.nope, of_chunk * width),
               Catch::StartsWith("chunk.nope of row " + std::to_string(of_chunk) +
                                 ", which token 1 lists, column 0 ="));
    if (!form.empty())
      CHECK_THAT(error_of(made, t.pool.rope, listed * 64 + 63, true),
                 Catch::StartsWith("pool.rope of row " + std::to_string(listed) +
                                   ", which token 0 lists, column 63 = -inf"));
    if (width == 512 && !form.empty()) CHECK(error_of(made, t.pool.nope, listed * width + 462) == "");
    std::set<int32_t> all(t.prefix_indices.as<int32_t>().begin(), t.prefix_indices.as<int32_t>().begin() + 5);
    for (int row = 0; row < 20; ++row)
      CHECK((error_of(made, t.pool.nope, row * width) != "") == all.contains(row));
  }
}
