#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "sparse_brute_force.hpp"
#include "tests/support/elements.hpp"

#include "tests/support/catch.hpp"
#include <cstring>

using namespace fmha950;
using namespace fmha950::test;

namespace {

const std::optional<RowFormat> formats[] = {std::nullopt, RowFormat::split, RowFormat::packed};

std::vector<QueryRow> all_tokens(const Problem& problem) {
  std::vector<QueryRow> rows;
  for (int token = 0; token < sparse_lists(problem)->tokens; ++token) rows.push_back({0, token});
  return rows;
}

// 0 where both agree, also on infinities; NaN where one is.
double deviation(double actual, double expected, double unit) {
  return actual == expected ? 0 : std::abs(actual - expected) / unit;
}

// Rounding of float64 sums of 512 products: each column is compared on the scale of its largest key.
void require_equal(const SparseCase& c, const AttentionRows& rows) {
  constexpr double tolerance = 1e-12;
  const int heads = c.problem.query_heads;
  REQUIRE(rows.lse.size() == rows.rows.size() * heads);
  REQUIRE(rows.output.size() == rows.lse.size() * 512);
  for (size_t r = 0; r < rows.rows.size(); ++r)
    for (int head = 0; head < heads; ++head) {
      const int token = rows.rows[r].query;
      const SparseRow expected = brute_force(c, token, head);
      CAPTURE(token, head, c.keys[token].size());
      const size_t place = r * heads + head;
      REQUIRE(deviation(rows.lse[place], expected.lse, std::max(1.0L, std::abs(expected.lse))) <= tolerance);
      double worst = 0;
      for (int d = 0; d < 512; ++d) {
        double largest = 0;
        for (size_t j = 0; j < c.keys[token].size(); ++j)
          largest = std::max(largest, std::abs(c.key(token, j)[d]));
        const double of_element = deviation(rows.output[place * 512 + d], expected.output[d], largest);
        worst = of_element <= worst ? worst : of_element; // NaN sticks
      }
      REQUIRE(worst <= tolerance);
    }
}

AttentionRows exact(const SparseCase& c, const std::vector<QueryRow>& rows,
                    OracleInput input = OracleInput::dequantised) {
  return oracle().exact(c.problem, c.tensors, rows, input);
}

} // namespace

TEST_CASE("sparse oracle equals the formula in all row formats, with lists of any length") {
  std::mt19937 random(77);
  for (int i = 0; i < 36; ++i) {
    const int pool = 1 + below(random, 24), chunk = 1 + below(random, 12);
    std::vector<int> prefix, extend;
    for (int token = 0; token < 5; ++token) {
      prefix.push_back(below(random, 3) ? below(random, pool + 4) : 0);
      extend.push_back(below(random, 3) ? below(random, chunk + 4) : 0);
    }
    prefix[0] = extend[0] = 0;
    prefix[1] = 2 * pool + 1; // each row more than once
    Problem problem = sparse_problem(16 << i % 2, formats[i % 3], pool, chunk, prefix, extend);
    problem.sink_logit = below(random, 2);
    const SparseCase c = make_sparse_case(problem, random);
    CAPTURE(i, problem.sink_logit);
    std::vector<QueryRow> rows = all_tokens(problem);
    std::shuffle(rows.begin(), rows.end(), random);
    rows.resize(3);
    rows.push_back(rows[0]);
    rows.push_back({0, 0});
    require_equal(c, exact(c, rows));
  }
}

TEST_CASE("sparse oracle equals the formula where keys span several blocks and heads several chunks",
          "[definition]") {
  std::mt19937 random(78);
  for (const auto& format : formats) {
    const SparseCase c = make_sparse_case(sparse_problem(272, format, 7, 3, {4, 0}, {2, 3}), random);
    require_equal(c, exact(c, all_tokens(c.problem)));
    const SparseCase wide =
        make_sparse_case(sparse_problem(16, format, 400, 90, {700, 512}, {511, 0}), random);
    require_equal(wide, exact(wide, all_tokens(wide.problem)));
  }
}

TEST_CASE("sparse oracle equals the formula with scales at the ends of their range") {
  std::mt19937 random(79);
  for (const RowFormat format : {RowFormat::split, RowFormat::packed}) {
    const Problem problem = sparse_problem(16, format, 12, 5, {12, 3, 7}, {5, 0, 2});
    const SparseCase c = make_sparse_case(problem, random, 125); // 2^-126 to 2^126
    require_equal(c, exact(c, all_tokens(problem)));
  }
}

TEST_CASE("sparse oracle without a pool, without a chunk, without either") {
  std::mt19937 random(80);
  for (const auto& format : formats)
    for (const auto& [pool, chunk] : {std::pair(0, 4), std::pair(4, 0), std::pair(0, 0)}) {
      Problem problem = sparse_problem(16, format, pool, chunk, {pool, 0}, {chunk, chunk});
      problem.sink_logit = true;
      const SparseCase c = make_sparse_case(problem, random);
      require_equal(c, exact(c, all_tokens(problem)));
    }
}

TEST_CASE("sparse oracle: empty lists give zeros, and sinks may have any size") {
  std::mt19937 random(81);
  Problem problem = sparse_problem(16, RowFormat::split, 9, 4, {0, 6}, {0, 3});
  SparseCase c = make_sparse_case(problem, random);
  const auto rows = all_tokens(problem);
  const AttentionRows without = exact(c, rows);
  for (int head = 0; head < 16; ++head) REQUIRE(without.lse[head] == -INFINITY);
  c.problem.sink_logit = true;
  c.tensors.sink_logit = Tensor(ElementType::fp32, {16});
  const auto sinks = c.tensors.sink_logit.as<float>();
  sinks[0] = 11400; // exp of it is beyond extended precision
  sinks[1] = -11400;
  sinks[2] = -INFINITY;
  for (const AttentionRows& with : {exact(c, rows), oracle().plain(c.problem, c.tensors, rows, {})}) {
    for (int head = 0; head < 16; ++head) REQUIRE(with.lse[head] == sinks[head]);
    REQUIRE(std::all_of(with.output.begin(), with.output.begin() + 16 * 512,
                        [](double element) { return element == 0; }));
    REQUIRE(with.lse[16] == 11400);
    REQUIRE(with.output[16 * 512] == 0);
    for (const int head : {17, 18}) {
      REQUIRE(with.lse[head] == Approx(without.lse[head]).epsilon(1e-5));
      REQUIRE(with.output[head * 512 + 1] == Approx(without.output[head * 512 + 1]).epsilon(0.01));
    }
  }
  require_equal(c, exact(c, rows));
}

TEST_CASE("sparse oracle on original inputs reads the unquantised rows, where there are any") {
  std::mt19937 random(82);
  for (const auto& format : formats) {
    SparseCase c = make_sparse_case(sparse_problem(16, format, 8, 5, {3, 8}, {5, 1}), random);
    const auto rows = all_tokens(c.problem);
    require_equal(c, exact(c, rows, OracleInput::original)); // there are none
    SparseTensors& t = sparse_tensors(c.tensors);
    for (const auto& [of, values] :
         {std::pair(&t.q, &c.q), std::pair(&t.pool, &c.pool), std::pair(&t.chunk, &c.chunk)}) {
      of->original = Tensor(ElementType::fp32, {of->rows(), 512});
      for (size_t i = 0; i < values->size(); ++i) {
        float& original = of->original.as<float>()[i];
        original = std::isnan((*values)[i]) ? NAN : std::normal_distribution<float>()(random);
        (*values)[i] = original;
      }
    }
    require_equal(c, exact(c, rows, OracleInput::original));
  }
}

TEST_CASE("sparse oracle reads nothing but listed rows: other garbage changes no bit") {
  for (const auto& format : formats) {
    const auto answer = [&](int garbage) {
      std::mt19937 random(83);
      SparseCase c = make_sparse_case(sparse_problem(16, format, 30, 20, {9, 0, 4}, {0, 6, 3}), random);
      SparseTensors& t = sparse_tensors(c.tensors);
      for (auto [of, values] : {std::pair(&t.pool, &c.pool), std::pair(&t.chunk, &c.chunk)})
        for (int64_t row = 0; row < of->rows(); ++row) {
          const bool listed = !std::isnan((*values)[row * 512]);
          for (Tensor* tensor : {&of->nope, &of->rope, &of->scale}) {
            if (tensor->empty()) continue;
            const size_t bytes = tensor->bytes() / of->rows();
            std::byte* begin = tensor->data() + row * bytes;
            if (!listed) std::memset(begin, garbage, bytes);
            if (listed && tensor == &of->nope && format == RowFormat::packed)
              std::memset(begin + 448 + 14, garbage, 512 - 448 - 14);
          }
        }
      AttentionRows rows = exact(c, all_tokens(c.problem));
      const AttentionRows plain = oracle().plain(c.problem, c.tensors, rows.rows, {});
      rows.output.insert(rows.output.end(), plain.output.begin(), plain.output.end());
      return rows.output;
    };
    const std::vector<double> poisoned = answer(0xFF);
    REQUIRE(std::all_of(poisoned.begin(), poisoned.end(), [](double x) { return std::isfinite(x); }));
    REQUIRE(poisoned == answer(0x7F));
    REQUIRE(poisoned == answer(0x00));
  }
}

TEST_CASE(
    "sparse oracle: a token alone is what it is among others, and refuses tokens and rows that are not") {
  std::mt19937 random(84);
  SparseCase c =
      make_sparse_case(sparse_problem(32, RowFormat::packed, 40, 9, {33, 7, 1}, {9, 2, 0}), random);
  const AttentionRows all = exact(c, all_tokens(c.problem)), again = exact(c, all_tokens(c.problem));
  REQUIRE(all.output == again.output);
  REQUIRE(all.lse == again.lse);
  const AttentionRows alone = exact(c, {{0, 1}});
  REQUIRE(std::equal(alone.output.begin(), alone.output.end(), all.output.begin() + 32 * 512));
  REQUIRE(std::equal(alone.lse.begin(), alone.lse.end(), all.lse.begin() + 32));
  REQUIRE_THROWS_WITH(exact(c, {{0, 3}}), "row's query of request 0 = 3: must be 0 to 2");
  REQUIRE_THROWS_WITH(exact(c, {{1, 0}}), "row's request = 1: must be 0 to 0");
  sparse_tensors(c.tensors).extend_indices.as<int32_t>()[3] = 9;
  REQUIRE_THROWS_WITH(exact(c, {{0, 0}}), "extend_indices[3] = 9: must be a row, 0 to 8");
}
