// The poison of outputs: found wherever it was left, and no other NaN is taken for it.
#include "harness/device/device_case.hpp"
#include "interface/case_string.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <cstring>

using namespace fmha950;
using namespace fmha950::harness;

TEST_CASE("what is still poison is untouched, and every element of it a NaN") {
  const ElementType type = GENERATE(ElementType::bf16, ElementType::fp16, ElementType::fp32);
  const auto bytes = output_poison(type, 5);
  const auto size = static_cast<size_t>(element_bytes(type));
  REQUIRE(bytes.size() == 5 * size);
  Tensor tensor(type, {5});
  std::memcpy(tensor.data(), bytes.data(), bytes.size());
  for (size_t i = 0; i < 5; ++i) {
    CHECK(is_output_poison(type, bytes.data() + i * size));
    CHECK(std::isnan(tensor.value(static_cast<int64_t>(i))));
  }
}

TEST_CASE("NaN of a pool's unread bytes, of a zeroed page's inverse and of arithmetic are a kernel's NaN") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=16/d=64/lse=1");
  const uint16_t bits = GENERATE(as<uint16_t>(), 0xFFFF, 0x7FFF, 0x7FC0, 0xFFC0, 0x7F81, 0x7F80);
  RowOutputs outputs;
  outputs.output = output_poison(ElementType::bf16, 64);
  std::memcpy(outputs.output.data() + 6, &bits, sizeof bits);
  outputs.lse = output_poison(ElementType::fp32, 1);
  const RowValues values = decode(problem, outputs);
  CHECK(values.output_untouched[2] == 1);
  CHECK(values.output_untouched[3] == 0);
  CHECK_FALSE(std::isfinite(values.output[3]));
  CHECK(values.lse_untouched[0] == 1);
}
