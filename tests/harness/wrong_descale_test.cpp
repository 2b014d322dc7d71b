// The verdict as a whole: attention over sixteen KV tiles of which one has a wrong descale must fail it, and
// the same arithmetic with right descales must pass. The attention here is scalar code of its own; what is
// right and how much noise a right result has says the real oracle.
#include "harness/accuracy/judged_run.hpp"
#include "harness/judge/row_sample.hpp"
#include "interface/case_string.hpp"
#include "synthetic_evidence.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <bit>
#include <cmath>
#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr int tile_keys = 32, tiles = 16, keys = tiles * tile_keys, dim = 128;

double round_to_bf16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + 0x7FFFu + ((bits >> 16) & 1)) & 0xFFFF0000u);
}

struct SixteenTiles {
  SixteenTiles()
      : problem(parse_case("batch_prefill/h=1:1/sq=32/sk=512/d=128/kv=fp8/quant=page/page=32/lse=1")),
        tensors(workload::make_tensors(problem)), oracle(problem, tensors) {
    oracle.choose(all_rows(problem));
    for (int tile = 0; tile < tiles; ++tile) {
      const auto page = static_cast<size_t>(page_of(problem, tensors, 0, tile * tile_keys));
      k_descale.push_back(tensors.k_descale.as<float>()[page]);
      v_descale.push_back(tensors.v_descale.as<float>()[page]);
    }
  }

  // As a kernel does it: P and output rounded to bf16, the denominator from P that is not.
  AttentionRows attention(const std::vector<double>& k_scales, const std::vector<double>& v_scales) const {
    AttentionRows rows{oracle.rows(), {}, {}};
    for (int r = 0; r < 32; ++r) {
      std::vector<double> score(keys), sum(dim);
      double largest = -INFINITY, denominator = 0;
      for (int j = 0; j < keys; ++j) {
        for (int d = 0; d < dim; ++d) score[j] += tensors.q.value(r * dim + d) * stored(tensors.k_pool, j, d);
        score[j] *= k_scales[j / tile_keys] / std::sqrt(dim);
        largest = std::max(largest, score[j]);
      }
      for (int j = 0; j < keys; ++j) {
        const double p = std::exp(score[j] - largest);
        denominator += p;
        for (int d = 0; d < dim; ++d)
          sum[d] += round_to_bf16(p) * stored(tensors.v_pool, j, d) * v_scales[j / tile_keys];
      }
      for (int d = 0; d < dim; ++d) rows.output.push_back(round_to_bf16(sum[d] / denominator));
      rows.lse.push_back(static_cast<float>(largest + std::log(denominator)));
    }
    return rows;
  }
  double stored(const Tensor& pool, int key, int column) const {
    // LINEAR: of V, too.
    return pool.value(k_index(problem, page_of(problem, tensors, 0, key), key % tile_keys, 0, column));
  }

  Verdict judged(const AttentionRows& got) {
    const AuditSums audit = audit_of(problem, tensors, {}, got, oracle);
    return judge(evidence_of(problem, tensors, {}, got, audit, oracle));
  }

  Problem problem;
  Tensors tensors;
  CaseOracle oracle;
  std::vector<double> k_descale, v_descale;
};

} // namespace

TEST_CASE("right descales pass the verdict") {
  SixteenTiles of;
  const Verdict verdict = of.judged(of.attention(of.k_descale, of.v_descale));
  CHECK(verdict.passed());
  CHECK(verdict.reason().empty());
  CHECK(largest_share(verdict.limits) > 0.1); // there is noise, and it is not far from what is allowed
}

TEST_CASE("a wrong descale on one tile of sixteen fails the verdict, which names the tile") {
  SixteenTiles of;
  const int tile = GENERATE(0, 7, 15);
  const double factor = GENERATE(0.5, 0.9, 1.1, 2.0);
  CAPTURE(tile, factor);
  const std::string keys_of_tile =
      fmt::format("keys {}-{} (page ", tile_keys * tile, tile_keys * (tile + 1) - 1);
  std::vector<double> wrong;
  SECTION("of V") {
    wrong = of.v_descale;
    wrong[static_cast<size_t>(tile)] *= factor;
    const Verdict verdict = of.judged(of.attention(of.k_descale, wrong));
    CHECK_FALSE(verdict.passed());
    CHECK_THAT(verdict.reason(), Catch::Contains(keys_of_tile));
  }
  SECTION("of K") {
    wrong = of.k_descale;
    wrong[static_cast<size_t>(tile)] *= factor;
    const Verdict verdict = of.judged(of.attention(wrong, of.v_descale));
    CHECK_FALSE(verdict.passed());
    CHECK_THAT(verdict.reason(), Catch::Contains(keys_of_tile));
  }
}

TEST_CASE("the neighbouring tile's descale fails the verdict") {
  SixteenTiles of;
  const auto tile = static_cast<size_t>(GENERATE(0, 7, 15));
  const size_t neighbour = tile == 0 ? 1 : tile - 1;
  std::vector<double> wrong = of.v_descale;
  wrong[tile] = of.v_descale[neighbour];
  const double factor = wrong[tile] / of.v_descale[tile];
  CAPTURE(tile, factor);
  const Verdict verdict = of.judged(of.attention(of.k_descale, wrong));
  CHECK_FALSE(verdict.passed());
}
