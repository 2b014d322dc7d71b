// The plain low-precision implementation of sparse_prefill: exact where nothing needs rounding, and elsewhere
// as far off as its types.
#include "interface/implementation.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "sparse_brute_force.hpp"

#include "tests/support/catch.hpp"
#include <cstring>

using namespace fmha950;
using namespace fmha950::test;

namespace {

const std::optional<RowFormat> formats[] = {std::nullopt, RowFormat::split, RowFormat::packed};
const ProbabilityRounding roundings[] = {
    {ElementType::bf16, 0}, {ElementType::fp8, 0}, {ElementType::fp8, 8}, {ElementType::fp16, 0}};

double rms_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

} // namespace

TEST_CASE("sparse plain has no error where a token lists one row") {
  std::mt19937 random(21);
  for (const auto& format : formats)
    for (const ProbabilityRounding& rounding : roundings) {
      const SparseCase c = make_sparse_case(sparse_problem(16, format, 5, 5, {1, 0, 0}, {0, 1, 0}), random);
      const AttentionRows plain = oracle().plain(c.problem, c.tensors, {{0, 0}, {0, 1}, {0, 2}}, rounding);
      for (int token = 0; token < 2; ++token)
        for (int head = 0; head < 16; ++head)
          REQUIRE(std::equal(c.key(token, 0), c.key(token, 0) + 512,
                             &plain.output[(token * 16 + head) * 512])); // a row is exact in bf16
      for (int i = 2 * 16 * 512; i < 3 * 16 * 512; ++i) REQUIRE(plain.output[i] == 0);
    }
}

TEST_CASE("sparse plain has no error where all weights are powers of two") {
  std::mt19937 random(22);
  for (const auto& format : formats)
    for (const ProbabilityRounding& rounding : roundings) {
      // Q is 0, so that all scores are: the pool's one row four times is that row, and once, beside a sink of
      // 0, half of it.
      Problem problem = sparse_problem(16, format, 1, 1, {4}, {0});
      problem.sink_logit = true;
      SparseCase c = make_sparse_case(problem, random);
      Tensor& nope = sparse_tensors(c.tensors).q.nope;
      const bool packed = format == RowFormat::packed;
      for (int head = 0; head < 16; ++head)
        std::memset(nope.data() + head * (nope.bytes() / 16), 0, packed ? 448 : nope.bytes() / 16);
      if (format)
        std::memset(sparse_tensors(c.tensors).q.rope.data(), 0, sparse_tensors(c.tensors).q.rope.bytes());
      for (float& sink : c.tensors.sink_logit.as<float>()) sink = -INFINITY;
      const auto plain = [&] { return oracle().plain(problem, c.tensors, {{0, 0}}, rounding).output; };
      REQUIRE(std::equal(c.key(0, 0), c.key(0, 0) + 512, plain().begin()));
      sparse_tensors(c.tensors).prefix_indptr.as<int32_t>()[1] = 1;
      sparse_lists(problem)->prefix_lengths = {1};
      problem.requests = {{1, 1}};
      for (float& sink : c.tensors.sink_logit.as<float>()) sink = 0;
      const std::vector<double> halves = plain();
      for (int d = 0; d < 512; ++d) REQUIRE(halves[d] == c.key(0, 0)[d] / 2);
    }
}

TEST_CASE("sparse plain's error is that of P's type and the output's") {
  std::mt19937 random(23);
  for (const auto& format : formats) {
    Problem problem = sparse_problem(16, format, 300, 40, {300, 150}, {40, 7});
    problem.sink_logit = true;
    const SparseCase c = make_sparse_case(problem, random);
    const std::vector<QueryRow> rows = {{0, 0}, {0, 1}};
    const AttentionRows exact = oracle().exact(problem, c.tensors, rows, OracleInput::dequantised);
    const double norm = rms_difference(exact.output, std::vector<double>(exact.output.size()));
    const auto error = [&](ElementType type) {
      const AttentionRows plain = oracle().plain(problem, c.tensors, rows, {type, 0});
      for (size_t i = 0; i < plain.lse.size(); ++i)
        REQUIRE(plain.lse[i] == Approx(exact.lse[i]).margin(1e-5));
      return rms_difference(plain.output, exact.output) / norm;
    };
    const double fp32 = error(ElementType::fp32); // the output's rounding alone
    const auto of_p = [&](ElementType type) { return std::sqrt(std::pow(error(type), 2) - fp32 * fp32); };
    const double bf16 = of_p(ElementType::bf16), fp8 = of_p(ElementType::fp8);
    CAPTURE(fp32, bf16, fp8);
    REQUIRE(fp32 > 1.0 / 4096);
    REQUIRE(fp32 < 1.0 / 512); // half a step of bf16
    REQUIRE(bf16 > 1.0 / 4096);
    REQUIRE(bf16 < 1.0 / 512);
    REQUIRE(fp8 / bf16 == Approx(16).epsilon(0.3)); // 4 bits of precision between them
  }
}
