// The rotary embedding of append_prefill: its formula, what it leaves alone, and what the oracle makes of it.
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workload/case_folder.hpp"
#include "workload/generate.hpp"
#include "workload/validate_values.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;
using operators::rotate;

TEST_CASE("rotary embedding: a quarter turn moves columns to where their pairs are, and no others") {
  const std::vector<float> quarter = {0, 0, 1, 1}; // two cosines, two sines
  std::vector<float> row = {1, 2, 3, 4, 5, 6};
  rotate({RotaryPairs::half, 4}, ElementType::bf16, quarter, row);
  CHECK(row == std::vector<float>{-3, -4, 1, 2, 5, 6});
  row = {1, 2, 3, 4, 5, 6};
  rotate({RotaryPairs::interleaved, 4}, ElementType::bf16, quarter, row);
  CHECK(row == std::vector<float>{-2, 1, -4, 3, 5, 6});
}

TEST_CASE(
    "rotary embedding: the sine's product is rounded, the cosine's is not, then the sum is, to Q's type") {
  // (1 + 2^-10) cos is no fp32 number for this cosine: rounded by itself before the sum it would cancel to 0.
  const float x = 1 + 0x1p-10F, cosine = 1 + 0x1p-23F;
  const float sine = x * cosine; // with y = 1 what is subtracted
  std::vector<float> row = {x, 1};
  rotate({RotaryPairs::half, 2}, ElementType::fp16, std::vector<float>{cosine, sine}, row);
  const double exact = static_cast<double>(x) * cosine - sine;
  REQUIRE(exact != 0);
  REQUIRE(std::abs(exact) < 0x1p-24); // which fp16 cannot hold but as its nearest number
  CHECK(row[0] == (std::abs(exact) > 0x1p-25 ? std::copysign(0x1p-24, exact) : 0));
  // In bf16 all of it is there.
  row = {x, 1};
  rotate({RotaryPairs::half, 2}, ElementType::bf16, std::vector<float>{cosine, sine}, row);
  CHECK(row[0] != 0);
  CHECK(std::abs(row[0] - exact) <= std::abs(exact) * 0x1p-8);
}

TEST_CASE("rotary embedding: positions and angles that are made") {
  const Problem problem = parse_case("append_prefill/h=2:1/sq=3,0,2/sk=10,7,2/d=64/rope=interleaved:32");
  const Tensors tensors = workload::make_tensors(problem);
  REQUIRE_NOTHROW(validate_tensors(problem, tensors));
  const AppendTensors& own = append_tensors(tensors);
  const auto positions = own.positions.as<int32_t>();
  CHECK(std::vector<int32_t>(positions.begin(), positions.end()) == std::vector<int32_t>{7, 8, 9, 0, 1});
  REQUIRE(own.cos_sin_cache.shape() == std::vector<int64_t>{10, 32});
  for (const int position : {0, 1, 9})
    for (const int pair : {0, 1, 15}) {
      const double angle = position / std::pow(10000.0, pair / 16.0);
      CHECK(own.cos_sin_cache.value(position * 32 + pair) == Approx(std::cos(angle)).margin(1e-6));
      CHECK(own.cos_sin_cache.value(position * 32 + 16 + pair) == Approx(std::sin(angle)).margin(1e-6));
    }
  // Not a number, where a token reads it and where none does.
  Tensors wrong = workload::make_tensors(problem);
  append_tensors(wrong).cos_sin_cache.as<float>()[3 * 32] = NAN;
  CHECK_NOTHROW(workload::validate_values(problem, wrong));
  append_tensors(wrong).cos_sin_cache.as<float>()[8 * 32 + 20] = NAN;
  CHECK_THROWS_WITH(workload::validate_values(problem, wrong), Catch::Contains("cos_sin_cache[8, 20]"));
}

TEST_CASE("rotary embedding: the oracle's rows and cache are those of Q and K that are rotated before") {
  for (const char* text :
       {"append_prefill/h=4:2/sq=9,20/sk=40,20/d=64/causal=1/lse=1/rope=half:32",
        "append_prefill/h=4:2/sq=9,20/sk=90,20/d=64/q=fp16/window=20:3/lse=1/rope=interleaved:64"}) {
    CAPTURE(text);
    const Problem problem = parse_case(text);
    const Tensors tensors = workload::make_tensors(problem);
    Problem plain = problem;
    plain.own = {};
    Tensors before = tensors;
    before.q = operators::rotated(problem, tensors, tensors.q);
    AppendTensors& own = append_tensors(before);
    own.k_new = operators::rotated(problem, tensors, own.k_new);
    own.positions = own.cos_sin_cache = Tensor();
    REQUIRE_NOTHROW(validate_tensors(plain, before));
    Tensors left_out = tensors; // as if nobody rotated
    append_tensors(left_out).positions = append_tensors(left_out).cos_sin_cache = Tensor();
    const std::vector<QueryRow> rows = {{0, 0}, {0, 8}, {1, 0}, {1, 19}};
    const auto got = oracle().exact(problem, tensors, rows, OracleInput::dequantised);
    const auto expected = oracle().exact(plain, before, rows, OracleInput::dequantised);
    CHECK(got.output == expected.output);
    CHECK(got.lse == expected.lse);
    const Cache cache = oracle().cache_after(problem, tensors), same = oracle().cache_after(plain, before),
                other = oracle().cache_after(plain, left_out);
    const auto equal = [](const Tensor& a, const Tensor& b) {
      return std::equal(a.data(), a.data() + a.bytes(), b.data());
    };
    CHECK(equal(cache.k, same.k));
    CHECK(equal(cache.v, same.v));
    CHECK_FALSE(equal(cache.k, other.k));
    CHECK(oracle().exact(plain, left_out, rows, OracleInput::dequantised).output != got.output);
  }
}

TEST_CASE("rotary embedding: a case folder holds positions and angles") {
  const TemporaryFolder folder;
  const Problem problem = parse_case("append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/rope=half:32");
  const Tensors tensors = workload::make_tensors(problem);
  workload::save_case_folder(folder.path() / "case", problem, tensors, {});
  const workload::CaseFolder loaded = workload::load_case_folder(folder.path() / "case");
  CHECK(loaded.problem == problem);
  for (Tensor AppendTensors::* member : {&AppendTensors::positions, &AppendTensors::cos_sin_cache}) {
    const Tensor &a = append_tensors(loaded.tensors).*member, &b = append_tensors(tensors).*member;
    CHECK(a.shape() == b.shape());
    CHECK(std::equal(a.data(), a.data() + a.bytes(), b.data()));
  }
}
