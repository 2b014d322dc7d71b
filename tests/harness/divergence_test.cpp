#include "harness/judge/divergence.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "tests/support/sparse_case.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;
using namespace fmha950::test;

namespace {

constexpr int tile = 32, columns = sparse::head_dim;

// What the keys at positions [first, last) add to the row.
std::vector<double> contribution(const SparseCase& c, int token, int head, int first, int last) {
  const int keys = static_cast<int>(c.keys[token].size());
  double denominator = std::exp(c.tensors.sink_logit.as<float>()[head]);
  std::vector<double> sum(columns);
  for (int j = 0; j < keys; ++j) {
    double score = 0;
    for (int d = 0; d < columns; ++d) score += c.query(token, head)[d] * c.key(token, j)[d];
    const double weight = std::exp(score * *c.problem.scale);
    denominator += weight;
    if (j < first || j >= last) continue;
    for (int d = 0; d < columns; ++d) sum[d] += weight * c.key(token, j)[d];
  }
  for (double& element : sum) element /= denominator;
  return sum;
}

} // namespace

TEST_CASE("the tile of list positions, of pool, chunk or both, that explains a wrong row of sparse_prefill") {
  std::mt19937 random(31);
  for (const auto& format :
       {std::optional<RowFormat>(), std::optional(RowFormat::split), std::optional(RowFormat::packed)}) {
    Problem problem = sparse_problem(32, format, 90, 60, {4, 70}, {0, 50});
    problem.sink_logit = true;
    const SparseCase c = make_sparse_case(problem, random);
    for (const int head : {0, 21, 31})
      for (int first = 0; first < 120; first += tile) {
        CAPTURE(head, first);
        const auto of_tile = contribution(c, 1, head, first, first + tile); // as with V twice too large
        const auto found = harness::diverging_tile(problem, c.tensors, {0, 1}, head, of_tile);
        REQUIRE(found);
        CHECK(found->first_key == first);
        CHECK(found->keys == std::min(tile, 120 - first));
        CHECK(found->cosine == Approx(1).margin(1e-9));
      }
    const std::vector<double> any(columns, 1);
    CHECK_FALSE(harness::diverging_tile(problem, c.tensors, {0, 0}, 0, any));
  }
}
