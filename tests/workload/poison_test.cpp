// What nobody may read: slots and pages that no key names, their scales, and entries of page tables past the end.
#include "tests/support/catch.hpp"
#include "tests/workload/generated_case.hpp"

#include <algorithm>
#include <cmath>

using namespace fmha950;
using Case = test::GeneratedCase;

TEST_CASE("mxfp4 has no NaN: what no key names is its largest value, under scales that are NaN") {
  const Case c("sq=1,1/sk=70,16/q=fp8/kv=mxfp4/page=32/spare=5");
  const int64_t unused = 9 * 32 - 70 - 16;
  int64_t largest = 0, nan_scales = 0, nan_value_scales = 0;
  const int64_t page = c.page(0, 64); // of six tokens
  for (int slot = 6; slot < 32; ++slot)
    for (int column = 0; column < 128; ++column) {
      const int64_t index = ((page * 32 + slot) * 2 + 1) * 128 + column;
      largest += std::abs(c.tensors.k_pool.value(index)) == 6;
      largest += std::abs(c.tensors.v_pool.value(index)) == 6;
    }
  CHECK(largest == 2 * 26 * 128);
  for (const uint8_t code : c.tensors.k_descale.as<const uint8_t>()) nan_scales += code == 0xFF;
  for (const uint8_t code : c.tensors.v_descale.as<const uint8_t>()) nan_value_scales += code == 0xFF;
  CHECK(nan_scales == unused * 2 * 4);
  CHECK(nan_value_scales == 5 * 2 * 128);
}

TEST_CASE("what no key names is poison") {
  for (const char* layout : {"linear", "vectorized", "hnd"}) {
    const Case c(std::string("sq=1,1/sk=70,16/q=fp8/kv=fp8/quant=mx/page=32/spare=5/layout=") + layout);
    CHECK(c.tensors.pool_pages() == 3 + 1 + 5);
    int64_t nan_values = 0, nan_scales = 0, nan_value_scales = 0;
    for (int64_t i = 0; i < c.tensors.k_pool.elements(); ++i)
      nan_values += std::isnan(c.tensors.k_pool.value(i)) + std::isnan(c.tensors.v_pool.value(i));
    for (int64_t i = 0; i < c.tensors.k_descale.elements(); ++i)
      nan_scales += std::isnan(c.tensors.k_descale.value(i));
    for (int64_t i = 0; i < c.tensors.v_descale.elements(); ++i)
      nan_value_scales += std::isnan(c.tensors.v_descale.value(i));
    const int64_t unused = 9 * 32 - 70 - 16;
    CHECK(nan_values == 2 * unused * 2 * 128);
    CHECK(nan_scales == unused * 2 * 4);
    CHECK(nan_value_scales == 5 * 2 * 128); // only spare pages have no used key in a group of 32
  }
  const Case scales("sq=1/sk=70/kv=fp8/quant=page/spare=4");
  int64_t nan = 0;
  for (int64_t i = 0; i < scales.tensors.k_descale.elements(); ++i)
    nan += std::isnan(scales.tensors.k_descale.value(i));
  CHECK(nan == 4 * 2);
}

TEST_CASE("unused slots and spare pages of an FP8 cache hold both NaN bytes, in K and in V") {
  for (const char* layout : {"linear", "vectorized", "hnd"}) {
    const Case c(std::string("sq=1/sk=70/kv=fp8/quant=tensor/page=64/spare=1/layout=") + layout);
    const int64_t page = c.problem.page_elements(), last = c.page(0, 64);
    const int64_t spare = 3 - c.page(0, 0) - last; // of three pages
    for (const Tensor* pool : {&c.tensors.k_pool, &c.tensors.v_pool})
      for (const auto& [which, nans] :
           {std::pair(last, (64 - 6) * 2 * 128), std::pair(spare, 64 * 2 * 128)}) {
        const auto bytes = pool->as<uint8_t>().subspan(which * page, page);
        CHECK(std::ranges::count(bytes, 0x7f) == nans / 2);
        CHECK(std::ranges::count(bytes, 0xff) == nans / 2);
      }
  }
}

TEST_CASE("page tables end in ids that no pool has") {
  const Case sglang("sq=2,3,0/sk=33,0,16/mode=group");
  const auto ids = sglang.tensors.kv_page_indices.as<const int32_t>();
  const auto indptr = sglang.tensors.kv_indptr.as<const int32_t>();
  CHECK(std::vector(indptr.begin(), indptr.end()) == std::vector<int32_t>{0, 3, 3, 4});
  const auto last = sglang.tensors.kv_last_page_lens.as<const int32_t>();
  CHECK(std::vector(last.begin(), last.end()) == std::vector<int32_t>{1, 0, 16});
  const auto queries = sglang.tensors.q_indptr.as<const int32_t>();
  CHECK(std::vector(queries.begin(), queries.end()) == std::vector<int32_t>{0, 2, 5, 5});
  const auto outside = [](int32_t id, int64_t pages) { return id < 0 || id >= pages; };
  CHECK(ids.size() > 4);
  for (size_t i = 0; i < ids.size(); ++i) CHECK(outside(ids[i], sglang.tensors.pool_pages()) == (i >= 4));

  const Case vllm("sq=2,3,0/sk=33,0,16/table=vllm");
  CHECK(vllm.tensors.block_table.shape()[0] == 3);
  CHECK(vllm.tensors.block_table.shape()[1] > 3);
  const auto table = vllm.tensors.block_table.as<const int32_t>();
  const int64_t columns = vllm.tensors.block_table.shape()[1];
  const int used[] = {3, 0, 1};
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t i = 0; i < columns; ++i)
      CHECK(outside(table[b * columns + i], vllm.tensors.pool_pages()) == (i >= used[b]));
}
