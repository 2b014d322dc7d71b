#include "brute_force.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

std::vector<QueryRow> all_rows(const Problem& problem) {
  std::vector<QueryRow> rows;
  for (int b = 0; b < static_cast<int>(problem.requests.size()); ++b)
    for (int i = 0; i < problem.requests[b].query_length; ++i) rows.push_back({b, i});
  return rows;
}

// 0 where both agree, also on infinities.
double deviation(double actual, double expected) {
  if (actual == expected) return 0;
  return std::abs(actual - expected) / std::max(1.0, std::abs(expected));
}

void compare(const RandomCase& c, const AttentionRows& rows) {
  const int heads = c.problem.query_heads, columns = c.problem.value_columns();
  REQUIRE(rows.lse.size() == rows.rows.size() * heads);
  REQUIRE(rows.output.size() == rows.lse.size() * columns);
  for (size_t r = 0; r < rows.rows.size(); ++r)
    for (int head = 0; head < heads; ++head) {
      const Row expected = brute_force(c, rows.rows[r].request, rows.rows[r].query, head);
      CAPTURE(rows.rows[r].request, rows.rows[r].query, head);
      // The scale 1/sqrt(d) is fp32 in a problem and double in the formula: 6e-8 of scores up to about 100.
      constexpr double tolerance = 1e-5;
      REQUIRE(deviation(rows.lse[r * heads + head], expected.lse) <= tolerance);
      double worst = 0; // NaN sticks: no comparison with it is true
      for (int d = 0; d < columns; ++d) {
        const double of_element =
            deviation(rows.output[(r * heads + head) * columns + d], expected.output[d]);
        worst = of_element <= worst ? worst : of_element;
      }
      REQUIRE(worst <= tolerance);
    }
}

} // namespace

TEST_CASE("oracle equals the formula over a random grid of all features", "[definition]") {
  std::mt19937 random(950);
  for (int i = 0; i < 150; ++i) {
    const RandomCase c = fill(random_problem(random, 40), random);
    CAPTURE(i, print_case(c.problem));
    std::vector<QueryRow> rows = all_rows(c.problem);
    std::shuffle(rows.begin(), rows.end(), random);
    rows.resize(std::min<size_t>(rows.size(), 6));
    compare(c, oracle().exact(c.problem, c.tensors, rows, OracleInput::dequantised));
  }
}

TEST_CASE("oracle equals the formula where keys span several blocks and rows several chunks") {
  std::mt19937 random(7);
  for (int i = 0; i < 6; ++i) {
    Problem problem = random_problem(random, 40);
    problem.head_dim = 64;
    problem.value_head_dim.reset();
    problem.query_heads = 2 * problem.kv_heads;
    problem.requests = {{3, 1500}, {300, 600}, {2, 513}};
    problem.window = i % 2 ? std::optional<Window>({700, 0}) : std::nullopt;
    problem.causal = true;
    const RandomCase c = fill(problem, random);
    CAPTURE(i, print_case(c.problem));
    compare(c, oracle().exact(c.problem, c.tensors, {{1, 299}, {0, 0}, {2, 1}, {0, 2}, {1, 0}, {1, 150}},
                              OracleInput::dequantised));
    const auto whole = oracle().exact(c.problem, c.tensors, all_rows(c.problem), OracleInput::dequantised);
    const auto again = oracle().exact(c.problem, c.tensors, all_rows(c.problem), OracleInput::dequantised);
    REQUIRE(whole.output == again.output);
    REQUIRE(whole.lse == again.lse);
  }
}

TEST_CASE("oracle on original inputs reads the unquantised tensors, where there are any") {
  std::mt19937 random(3);
  Problem problem =
      parse_case("batch_prefill/h=2:1/sq=5/sk=37/d=64/kv=fp8/q=fp8/quant=page/layout=vectorized/lse=1");
  RandomCase c = fill(problem, random);
  const auto rows = all_rows(problem);
  compare(c, oracle().exact(problem, c.tensors, rows, OracleInput::original));

  // Originals that equal other dense values: the oracle must follow them and no descale may touch them.
  Tensors& t = c.tensors;
  const auto filled = [&](std::vector<int64_t> shape) {
    Tensor tensor(ElementType::fp32, std::move(shape));
    for (float& value : tensor.as<float>()) value = std::normal_distribution<float>()(random);
    return tensor;
  };
  t.q_original = filled({5, 2, 64});
  t.k_original = filled({t.pool_pages(), 16, 1, 64});
  t.v_original = filled({t.pool_pages(), 16, 1, 64});
  for (size_t i = 0; i < c.q[0].values.size(); ++i) c.q[0].values[i] = t.q_original.as<float>()[i];
  for (int token = 0; token < 37; ++token) {
    const int page = t.kv_page_indices.as<int32_t>()[token / 16];
    for (int d = 0; d < 64; ++d) {
      c.k[0].values[token * 64 + d] = t.k_original.as<float>()[(page * 16 + token % 16) * 64 + d];
      c.v[0].values[token * 64 + d] = t.v_original.as<float>()[(page * 16 + token % 16) * 64 + d];
    }
  }
  compare(c, oracle().exact(problem, t, rows, OracleInput::original));
}

TEST_CASE("oracle: rows that see nothing, and sinks of any size") {
  std::mt19937 random(4);
  Problem problem = parse_case("batch_prefill/h=2:2/b=1/sq=4/sk=2/d=64/causal=1/lse=1");
  RandomCase c = fill(problem, random);
  const auto rows = all_rows(problem);
  auto result = oracle().exact(problem, c.tensors, rows, OracleInput::dequantised);
  for (int row : {0, 1}) { // Lk - Lq + i < 0
    REQUIRE(result.lse[row * 2] == -INFINITY);
    for (int d = 0; d < 128; ++d) REQUIRE(result.output[row * 128 + d] == 0);
  }
  REQUIRE(std::isfinite(result.lse[2 * 2]));
  problem.sink_logit = true;
  c.tensors.sink_logit = Tensor(ElementType::fp32, {2});
  c.tensors.sink_logit.as<float>()[0] = 900; // exp(900) is beyond double
  c.tensors.sink_logit.as<float>()[1] = -900;
  for (const auto& rows_of : {oracle().exact(problem, c.tensors, rows, OracleInput::dequantised),
                              oracle().plain(problem, c.tensors, rows, {})}) {
    REQUIRE(rows_of.lse[0] == 900);
    REQUIRE(rows_of.lse[3] == -900);
    REQUIRE(rows_of.lse[2 * 2] == Approx(900));
    REQUIRE(rows_of.output[2 * 128] == 0);
    REQUIRE(rows_of.lse[2 * 2 + 1] == Approx(result.lse[2 * 2 + 1]).epsilon(1e-5));
    REQUIRE(rows_of.output[2 * 128 + 64] == Approx(result.output[2 * 128 + 64]).epsilon(0.01));
  }
}

TEST_CASE("oracle refuses rows and tensors that the problem does not have") {
  std::mt19937 random(5);
  const Problem problem = parse_case("batch_prefill/h=2:2/sq=4,2/sk=20/d=64");
  const RandomCase c = fill(problem, random);
  const auto exact = [&](QueryRow row) {
    return oracle().exact(problem, c.tensors, {row}, OracleInput::dequantised);
  };
  REQUIRE_THROWS_WITH(exact({2, 0}), "row's request = 2: must be 0 to 1");
  REQUIRE_THROWS_WITH(exact({1, 2}), "row's query of request 1 = 2: must be 0 to 1");
  Problem other = problem;
  other.head_dim = 128;
  other.value_head_dim.reset();
  REQUIRE_THROWS_WITH(oracle().exact(other, c.tensors, {}, OracleInput::dequantised),
                      "q = bf16 [6, 2, 64]: must be bf16 [6, 2, 128]");
}
