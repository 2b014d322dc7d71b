// Which rows prepass dequantises for sparse_prefill.
#include "impl_prepass/sparse/row_slots.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;
using prepass::sparse::assign_row_slots;

namespace {

Tensor int32s(const std::vector<int32_t>& values) {
  Tensor tensor(ElementType::int32, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.as<int32_t>().begin());
  return tensor;
}

} // namespace

TEST_CASE("sparse: a row is dequantised once, however many tokens list it, and padding is not looked at") {
  const int padding = 0x7fffffff;
  const auto slots = assign_row_slots(int32s({0, 3, 3, 5}), int32s({70, 2, 70, 2, 9, padding, padding}), 100);
  CHECK_FALSE(slots.whole);
  CHECK(slots.count == 3);
  CHECK(slots.rows == std::vector<int32_t>{70, 2, 9});
  CHECK(slots.indices == std::vector<int32_t>{0, 1, 0, 1, 2});
}

TEST_CASE("sparse: the whole pool is dequantised from more than 7/8 of its rows on") {
  const auto of_16 = [](int listed) {
    std::vector<int32_t> rows(listed);
    for (int i = 0; i < listed; ++i) rows[i] = 15 - i;
    return assign_row_slots(int32s({0, listed}), int32s(rows), 16);
  };
  CHECK_FALSE(of_16(14).whole);
  CHECK(of_16(14).count == 14);
  const auto whole = of_16(15);
  CHECK(whole.whole);
  CHECK(whole.count == 16);
  CHECK(whole.rows.empty());
  CHECK(whole.indices.empty());
}

TEST_CASE("sparse: lists without rows dequantise none") {
  const auto slots = assign_row_slots(int32s({0, 0, 0}), int32s({-1}), 8);
  CHECK_FALSE(slots.whole);
  CHECK(slots.count == 0);
  CHECK(slots.rows.empty());
}
