// What exact() keeps for the audit, against the LSE and the mask, and when it keeps nothing.
#include "interface/kept_scores.hpp"

#include "interface/case_string.hpp"
#include "interface/oracle.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;

TEST_CASE("kept scores: each row and head has room for its keys, unless they are too many") {
  const auto scores = KeptScores::make({3, 0, 2});
  REQUIRE(scores != nullptr);
  CHECK(scores->of(0).size() == 3);
  CHECK(scores->of(1).empty());
  CHECK(scores->of(2).data() == scores->of(0).data() + 3);
  CHECK(KeptScores::make({KeptScores::most, 1}) == nullptr);
}

TEST_CASE("kept scores: their weights sum to 1, and those of keys that are not seen are 0") {
  const Problem problem =
      parse_case("batch_prefill/h=2:1/sq=3,2/sk=90,70/d=64/window=40:0/sink=2/sinklogit=1/cap=5/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const std::vector<QueryRow> rows{{0, 2}, {1, 0}};
  const AttentionRows exact =
      oracle().exact(problem, tensors, rows, OracleInput::dequantised, {}, ScoresOfRows::kept);
  REQUIRE(exact.scores != nullptr);
  for (size_t place = 0; place < exact.lse.size(); ++place) {
    CAPTURE(place);
    const Visibility sees = oracle().visibility(problem, tensors, rows[place / 2]);
    const std::span<const float> scores = exact.scores->of(place);
    REQUIRE(static_cast<int64_t>(scores.size()) == sees.end);
    const double sink = tensors.sink_logit.as<float>()[place % 2];
    double sum = std::exp(sink - exact.lse[place]);
    float largest = -INFINITY;
    for (size_t key = 0; key < scores.size(); ++key) {
      CHECK(std::isfinite(scores[key]) == sees.sees(static_cast<int64_t>(key)));
      sum += std::exp(scores[key] + exact.scores->largest(place) - exact.lse[place]);
      largest = std::max(largest, scores[key]);
    }
    CHECK(largest == 0);
    CHECK(std::fabs(sum - 1) < 1e-5);
  }
}

TEST_CASE("kept scores: nothing is kept unless it is asked for") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=2/sk=70/d=64");
  const Tensors tensors = workload::make_tensors(problem);
  CHECK(oracle().exact(problem, tensors, {{0, 0}}, OracleInput::dequantised).scores == nullptr);
  CHECK(oracle().plain(problem, tensors, {{0, 0}}, {}).scores == nullptr);
}
