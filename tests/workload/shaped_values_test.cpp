// Values with one property that rounding noise depends on: they have it.
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/shaped_values.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace fmha950;
using namespace fmha950::workload;

namespace {

constexpr int dim = 128, keys = 1024;

Problem problem_of(const std::string& values) {
  return parse_case("batch_prefill/h=1:1/sq=64/sk=1024/d=128/values=" + values);
}

std::vector<float> row_of(const ValueSource& source,
                          void (ValueSource::*fill)(int, int, int, std::span<float>) const, int position) {
  std::vector<float> row(dim);
  (source.*fill)(0, position, 0, row);
  return row;
}

} // namespace

TEST_CASE("peak: the middle key has some 90 % of the weight of most rows") {
  const Problem problem = problem_of("peak");
  const auto source = make_value_source(problem);
  std::vector<double> weights;
  for (int query = 0; query < 64; ++query) {
    const auto q = row_of(*source, &ValueSource::query, query);
    double sum = 0, middle = 0;
    for (int key = 0; key < keys; ++key) {
      const auto k = row_of(*source, &ValueSource::key, key);
      const double p =
          std::exp(std::inner_product(q.begin(), q.end(), k.begin(), 0.0) * problem.softmax_scale());
      sum += p;
      if (key == keys / 2) middle = p;
    }
    weights.push_back(middle / sum);
  }
  std::ranges::sort(weights);
  CHECK(weights[32] > 0.8);
  CHECK(weights[32] < 0.97);
}

TEST_CASE("sharp:F is Q times F, mean is V plus 1, and all else as it was") {
  const Problem problem = problem_of("normal"), threefold = problem_of("sharp:3"),
                shifted = problem_of("mean");
  const auto normal = make_value_source(problem), sharp = make_value_source(threefold),
             mean = make_value_source(shifted);
  auto q = row_of(*normal, &ValueSource::query, 5), v = row_of(*normal, &ValueSource::value, 5);
  CHECK(row_of(*sharp, &ValueSource::value, 5) == v);
  CHECK(row_of(*mean, &ValueSource::query, 5) == q);
  CHECK(row_of(*mean, &ValueSource::key, 5) == row_of(*normal, &ValueSource::key, 5));
  for (float& x : q) x *= 3;
  for (float& x : v) x += 1;
  CHECK(row_of(*sharp, &ValueSource::query, 5) == q);
  CHECK(row_of(*mean, &ValueSource::value, 5) == v);
}

TEST_CASE("alike:N, onehot and flat are V alone") {
  const Problem problem = problem_of("normal"), sixteen = problem_of("alike:16"), hot = problem_of("onehot"),
                level = problem_of("flat");
  const auto normal = make_value_source(problem), alike = make_value_source(sixteen),
             one_hot = make_value_source(hot), flat = make_value_source(level);
  for (const auto* source : {&alike, &one_hot, &flat})
    for (const auto fill : {&ValueSource::query, &ValueSource::key})
      CHECK(row_of(**source, fill, 37) == row_of(*normal, fill, 37));
  CHECK(row_of(*alike, &ValueSource::value, 31) == row_of(*alike, &ValueSource::value, 16));
  CHECK(row_of(*alike, &ValueSource::value, 32) != row_of(*alike, &ValueSource::value, 31));
  std::vector<float> hot_row(dim, 0);
  hot_row[130 % dim] = 1;
  CHECK(row_of(*one_hot, &ValueSource::value, 130) == hot_row);
  const auto level_row = row_of(*flat, &ValueSource::value, 5);
  CHECK(level_row == std::vector<float>(dim, row_of(*normal, &ValueSource::value, 5)[0]));
}

TEST_CASE("an argument that is none is refused") {
  for (const char* values :
       {"sharp:", "sharp", "sharp:0", "sharp:-1", "sharp:x", "sharp:1e99", "sharp:3x", "peak:1",
        "alike:", "alike:0", "alike:-4", "alike:2.5", "alike:99999999999", "onehot:3"}) {
    CAPTURE(values);
    CHECK_THROWS_AS(make_value_source(problem_of(values)), InvalidInput);
  }
}
