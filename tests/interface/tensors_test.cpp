#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/tensors.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <fstream>
#include <set>

using namespace fmha950;

namespace {

int64_t resident_bytes() {
  int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * 4096;
}

} // namespace

TEST_CASE("a large tensor costs only what is touched") {
  const int64_t before = resident_bytes();
  Tensor pool(ElementType::fp8, {40, 1 << 28}); // 10 GB
  pool.data()[pool.bytes() - 1] = std::byte(0x38);
  REQUIRE(pool.value(pool.elements() - 1) == 1.0f);
  REQUIRE(pool.value(0) == 0.0f);
  REQUIRE(resident_bytes() - before < (1 << 24));
  const Tensor copy = pool; // NOLINT: the copy is what is tested
  REQUIRE(copy.data() == pool.data());
}

TEST_CASE("elements decode exactly") {
  Tensor half(ElementType::fp16, {2}), brain(ElementType::bf16, {1}), scale(ElementType::e8m0, {2});
  half.as<uint16_t>()[0] = 0x3555;
  half.as<uint16_t>()[1] = 0x0001;
  REQUIRE(half.value(0) == 0.333251953125f);
  REQUIRE(half.value(1) == std::ldexp(1.0f, -24));
  brain.as<uint16_t>()[0] = 0xC049;
  REQUIRE(brain.value(0) == -3.140625f);
  scale.as<uint8_t>()[0] = 0;
  scale.as<uint8_t>()[1] = 0xFF;
  REQUIRE(scale.value(0) == std::ldexp(1.0f, -127));
  REQUIRE(std::isnan(scale.value(1)));
}

TEST_CASE("two elements of mxfp4 are a byte, the first in its lower half") {
  Tensor pool(ElementType::mxfp4, {2, 3, 2});
  REQUIRE(pool.elements() == 12);
  REQUIRE(pool.bytes() == 6);
  pool.as<uint8_t>()[1] = 0xE3; // -4 and 1.5: OCP MX v1.0, table 5
  REQUIRE(pool.value(2) == 1.5f);
  REQUIRE(pool.value(3) == -4.0f);
  REQUIRE(pool.value(4) == 0.0f);
  REQUIRE(stored_bytes(ElementType::mxfp4, 12) == 6);
  REQUIRE(stored_bytes(ElementType::fp16, 12) == 24);
  REQUIRE_THROWS_AS(element_bytes(ElementType::mxfp4), std::logic_error);
}

TEST_CASE("impossible shapes are refused") {
  REQUIRE_THROWS_WITH(Tensor(ElementType::fp32, {2, -1}),
                      "shape = [2, -1]: extents must be >= 0 and their product must fit 60 bits");
  REQUIRE_THROWS_WITH(
      Tensor(ElementType::fp32, {int64_t(1) << 31, int64_t(1) << 31}),
      "shape = [2147483648, 2147483648]: extents must be >= 0 and their product must fit 60 bits");
  REQUIRE_THROWS_WITH(
      Tensor(ElementType::fp8, {int64_t(1) << 55}),
      "shape = [36028797018963968]: the host cannot map the 36028797018963968 bytes it needs");
}

TEST_CASE("every element of a pool has one place, in every layout") {
  for (const char* text : {"batch_prefill/h=2:2/sq=1/sk=1/d=64/page=32",
                           "batch_prefill/h=2:2/sq=1/sk=1/d=64/page=32/kv=fp8/layout=vectorized",
                           "batch_prefill/h=2:2/sq=1/sk=1/d=64/page=16/layout=vectorized",
                           "batch_prefill/h=2:2/sq=1/sk=1/d=64/page=1/layout=hnd",
                           "batch_prefill/h=2:2/sq=1/sk=1/d=64/page=48/kv=fp8/layout=hnd",
                           "batch_prefill/h=2:2/sq=1/sk=1/d=64/page=32/kv=mxfp4"}) {
    const Problem p = parse_case(text);
    std::set<int64_t> k, v;
    for (int page = 0; page < 3; ++page)
      for (int slot = 0; slot < p.page_size; ++slot)
        for (int head = 0; head < 2; ++head)
          for (int column = 0; column < 64; ++column) {
            k.insert(k_index(p, page, slot, head, column));
            v.insert(v_index(p, page, slot, head, column));
          }
    const size_t elements = size_t(3) * p.page_size * 2 * 64;
    REQUIRE(k.size() == elements);
    REQUIRE(v.size() == elements);
    REQUIRE(*k.rbegin() == int64_t(elements) - 1);
    REQUIRE(*v.rbegin() == int64_t(elements) - 1);
  }
  const Problem fp8 = parse_case("batch_prefill/h=2:2/sq=1/sk=1/d=64/page=32/kv=fp8/layout=vectorized");
  // K [pages, Hkv, D/16, page, 16], V [pages, Hkv, page/16, D, 16]
  REQUIRE(k_index(fp8, 1, 5, 1, 35) == 1 * 4096 + 1 * 2048 + 2 * 512 + 5 * 16 + 3);
  REQUIRE(v_index(fp8, 1, 21, 1, 35) == 1 * 4096 + 1 * 2048 + 1 * 1024 + 35 * 16 + 5);
  CHECK(k_pool_shape(fp8, 3) == std::vector<int64_t>{3, 2, 4, 32, 16});
  CHECK(v_pool_shape(fp8, 3) == std::vector<int64_t>{3, 2, 2, 64, 16});
  const Problem hnd = parse_case("batch_prefill/h=2:2/sq=1/sk=1/d=64/page=32/layout=hnd");
  // [pages, Hkv, page, D]
  CHECK(k_index(hnd, 1, 5, 1, 35) == 1 * 4096 + 1 * 2048 + 5 * 64 + 35);
  CHECK(v_index(hnd, 1, 5, 1, 35) == k_index(hnd, 1, 5, 1, 35));
  CHECK(k_pool_shape(hnd, 3) == std::vector<int64_t>{3, 2, 32, 64});
  CHECK(v_pool_shape(hnd, 3) == k_pool_shape(hnd, 3));
}

TEST_CASE("where V has fewer columns than K its rows are as much shorter, in every layout") {
  const auto of = [](const char* rest) {
    return parse_case(std::string("batch_prefill/h=2:2/sq=1/sk=1/page=32/d=192:128") + rest);
  };
  const Problem linear = of(""), hnd = of("/layout=hnd"), vectorized = of("/kv=fp8/layout=vectorized");
  CHECK(linear.page_elements() == 32 * 2 * 192);
  CHECK(linear.value_page_elements() == 32 * 2 * 128);
  CHECK(linear.softmax_scale() == Approx(1 / std::sqrt(192.0)));
  CHECK(k_pool_shape(linear, 3) == std::vector<int64_t>{3, 32, 2, 192});
  CHECK(v_pool_shape(linear, 3) == std::vector<int64_t>{3, 32, 2, 128});
  CHECK(k_index(linear, 1, 5, 1, 150) == 12288 + 5 * 384 + 192 + 150);
  CHECK(v_index(linear, 1, 5, 1, 100) == 8192 + 5 * 256 + 128 + 100);
  CHECK(k_pool_shape(hnd, 3) == std::vector<int64_t>{3, 2, 32, 192});
  CHECK(v_pool_shape(hnd, 3) == std::vector<int64_t>{3, 2, 32, 128});
  CHECK(k_index(hnd, 1, 5, 1, 150) == 12288 + 6144 + 5 * 192 + 150);
  CHECK(v_index(hnd, 1, 5, 1, 100) == 8192 + 4096 + 5 * 128 + 100);
  CHECK(k_pool_shape(vectorized, 3) == std::vector<int64_t>{3, 2, 12, 32, 16});
  CHECK(v_pool_shape(vectorized, 3) == std::vector<int64_t>{3, 2, 2, 128, 16});
  CHECK(k_index(vectorized, 1, 5, 1, 150) == 12288 + 6144 + 9 * 512 + 5 * 16 + 6);
  CHECK(v_index(vectorized, 1, 21, 1, 100) == 8192 + 4096 + 2048 + 100 * 16 + 5);
}

TEST_CASE("a descale per tensor is told from those per page by its rank") {
  Tensor per_tensor(ElementType::fp32, {1}), of_one_page(ElementType::fp32, {1, 1}),
      exponents(ElementType::e8m0, {1});
  per_tensor.as<float>()[0] = of_one_page.as<float>()[0] = 0.25f;
  CHECK(tensor_descale(per_tensor) == 0.25f);
  CHECK(tensor_descale(of_one_page) == 1);
  CHECK(tensor_descale(exponents) == 1);
  CHECK(tensor_descale(Tensor()) == 1);
}
