#include "interface/ulp.hpp"

#include "interface/error.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;

TEST_CASE("spacing of the floating types") {
  CHECK(ulp(ElementType::bf16, 1) == 1.0 / 128); // 8 significant bits
  CHECK(ulp(ElementType::bf16, 1.99) == 1.0 / 128);
  CHECK(ulp(ElementType::bf16, 2) == 1.0 / 64);
  CHECK(ulp(ElementType::bf16, -2) == 1.0 / 64);
  CHECK(ulp(ElementType::fp16, 1) == 1.0 / 1024);
  CHECK(ulp(ElementType::fp32, 1) == std::ldexp(1.0, -23));
  CHECK(ulp(ElementType::fp8, 1) == 1.0 / 8);
  CHECK(ulp(ElementType::fp8, 448) == 32);
}

TEST_CASE("spacing of subnormal numbers is that of the smallest normal one") {
  CHECK(ulp(ElementType::fp16, 0) == std::ldexp(1.0, -24));
  CHECK(ulp(ElementType::fp16, 1e-6) == std::ldexp(1.0, -24));
  CHECK(ulp(ElementType::fp8, 0.001) == std::ldexp(1.0, -9));
  CHECK(ulp(ElementType::bf16, 0) == std::ldexp(1.0, -133));
}

TEST_CASE("only floating types have a spacing") {
  CHECK_THROWS_WITH(ulp(ElementType::int32, 1), "type = int32: must be a floating type");
  CHECK_THROWS_AS(ulp(ElementType::e8m0, 1), InvalidInput);
}
