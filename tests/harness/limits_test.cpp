// The accuracy rule of DESIGN.md section 7: every limit can fail by itself, and only then.
#include "harness/accuracy/limits.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// A passing case of `rows` rows of 128 columns, reference 1 everywhere, plain off by 0.01 with alternating
// sign (so that its norm is right), got as plain. Tests break one thing.
struct Sample {
  explicit Sample(int64_t query_rows) : rows(query_rows) {
    const auto count = static_cast<size_t>(rows) * 128;
    reference.assign(count, 1);
    for (size_t i = 0; i < count; ++i) plain.push_back(i % 2 == 0 ? 1.01 : 0.99);
    got = plain;
    untouched.assign(count, 0);
    lse_reference.assign(static_cast<size_t>(rows), 7);
    lse_plain = lse_got = lse_reference;
    lse_untouched.assign(static_cast<size_t>(rows), 0);
  }
  Verdict verdict() const {
    Evidence evidence;
    evidence.query_rows = rows;
    evidence.output_type = ElementType::bf16;
    evidence.reference = reference;
    evidence.plain = plain;
    evidence.got = got;
    evidence.untouched = untouched;
    evidence.lse_reference = lse_reference;
    evidence.lse_plain = lse_plain;
    evidence.lse_got = lse_got;
    evidence.lse_untouched = lse_untouched;
    evidence.max_value = max_value;
    return judge(evidence);
  }
  int64_t rows;
  std::vector<double> reference, plain, got, lse_reference, lse_plain, lse_got;
  std::vector<uint8_t> untouched, lse_untouched;
  std::optional<double> max_value = 4;
};

std::vector<std::string> failed(const Verdict& verdict) {
  std::vector<std::string> names;
  for (const Limit& limit : verdict.limits)
    if (!limit.holds()) names.push_back(limit.name);
  return names;
}

using Names = std::vector<std::string>;
constexpr double bf16_ulp_at_1 = 1.0 / 128; // 8 significant bits

} // namespace

TEST_CASE("what is as good as plain passes") {
  const Verdict verdict = Sample(64).verdict();
  CHECK(verdict.passed());
  CHECK(verdict.reason().empty());
  CHECK(verdict.limits.size() == 5);
}

TEST_CASE("max abs: twice plain's and two ulp of the output type") {
  const double limit = 2 * 0.01 + 2 * bf16_ulp_at_1;
  Sample sample(64);
  sample.got[5] = 1 + limit * 1.001;
  CHECK(failed(sample.verdict()) == Names{"max_abs"});
  CHECK(sample.verdict().kernel.worst == 5);
  sample.got[5] = 1 + limit * 0.999;
  CHECK(sample.verdict().passed());
}

TEST_CASE("RMSE: 1.25 times plain's from 32 rows up, twice below, no ulp term") {
  for (const auto& [rows, factor] : {std::pair{64, 1.25}, std::pair{32, 1.25}, std::pair{31, 2.0}}) {
    Sample sample(rows);
    const auto scale = [&](double by) {
      for (size_t i = 0; i < sample.got.size(); ++i) sample.got[i] = 1 + (sample.plain[i] - 1) * by;
    };
    scale(factor * 1.001);
    CHECK(failed(sample.verdict()) == Names{"rmse"});
    scale(factor * 0.999);
    CHECK(sample.verdict().passed());
  }
}

TEST_CASE("norm ratio: no further from 1 than twice plain's and 2^-9") {
  Sample sample(64);
  // All of plain's error in one direction: the RMSE stays, the norm does not.
  for (double& value : sample.got) value = 1.01;
  const Verdict verdict = sample.verdict();
  CHECK(failed(verdict) == Names{"norm_ratio"});
  for (double& value : sample.got) value = 1 + 1.0 / 512;
  CHECK(sample.verdict().passed());
}

TEST_CASE("FP8 ceiling: 0.055 * max(1, max|V|)") {
  Sample sample(64);
  for (double& value : sample.plain)
    value = value > 1 ? 1.04 : 0.96; // a plain so bad that its limits allow 0.08
  sample.got[5] = 1.06;
  sample.max_value = 0.5;
  CHECK(failed(sample.verdict()) == Names{"fp8_ceiling"});
  sample.max_value = 1.2;
  CHECK(sample.verdict().passed());
  sample.max_value.reset(); // not FP8
  CHECK(sample.verdict().passed());
}

TEST_CASE("LSE: twice plain's error, 1e-3 and 1e-6 of its magnitude") {
  Sample sample(64);
  sample.lse_got[3] = 7 + 1.1e-3;
  CHECK(failed(sample.verdict()) == Names{"lse"});
  sample.lse_got[3] = 7 + 0.9e-3;
  CHECK(sample.verdict().passed());
  sample.lse_got[3] = 7 + 1.1e-3;
  sample.lse_plain[9] = 7 + 1e-4;
  CHECK(sample.verdict().passed());
  // The relative term is the element's own.
  sample = Sample(64);
  sample.lse_reference[2] = sample.lse_plain[2] = 1e4;
  sample.lse_got[2] = 1e4 + 0.0105;
  CHECK(sample.verdict().passed());
  sample.lse_got[3] = 7 + 0.0105;
  CHECK(failed(sample.verdict()) == Names{"lse"});
}

TEST_CASE("LSE of a row that sees nothing is -inf, exactly") {
  const double inf = std::numeric_limits<double>::infinity();
  Sample sample(64);
  sample.lse_reference[0] = sample.lse_plain[0] = sample.lse_got[0] = -inf;
  CHECK(sample.verdict().passed());
  sample.lse_got[0] = -1e30;
  CHECK(failed(sample.verdict()) == Names{"lse"});
  sample.lse_reference[0] = sample.lse_plain[0] = 3;
  sample.lse_got[0] = -inf;
  CHECK(failed(sample.verdict()) == Names{"lse"});
}

TEST_CASE("NaN, Inf and untouched elements fail by themselves") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  SECTION("NaN") {
    Sample sample(64);
    sample.got[77] = nan;
    CHECK_FALSE(sample.verdict().passed());
    CHECK(failed(sample.verdict()).empty());
    CHECK(sample.verdict().reason() == "output: 0 untouched, 1 NaN, 0 Inf, first at element 77");
  }
  SECTION("Inf") {
    Sample sample(64);
    sample.got[77] = inf;
    CHECK_FALSE(sample.verdict().passed());
    CHECK(failed(sample.verdict()).empty());
  }
  SECTION("untouched") {
    Sample sample(64);
    sample.got[77] = nan;
    sample.untouched[77] = 1;
    CHECK(sample.verdict().defects.untouched == 1);
    CHECK_FALSE(sample.verdict().passed());
  }
  SECTION("NaN in the LSE") {
    Sample sample(64);
    sample.lse_got[1] = nan;
    CHECK(sample.verdict().lse_defects.nan == 1);
    CHECK_FALSE(sample.verdict().passed());
  }
  SECTION("untouched LSE") {
    Sample sample(64);
    sample.lse_untouched[1] = 1;
    CHECK_FALSE(sample.verdict().passed());
  }
}

TEST_CASE("spacing of the output types") {
  CHECK(ulp(ElementType::bf16, 1) == bf16_ulp_at_1);
  CHECK(ulp(ElementType::bf16, 1.99) == bf16_ulp_at_1);
  CHECK(ulp(ElementType::bf16, 2) == 2 * bf16_ulp_at_1);
  CHECK(ulp(ElementType::fp16, 1) == 1.0 / 1024);
  CHECK(ulp(ElementType::fp32, 1) == std::ldexp(1.0, -23));
  CHECK(ulp(ElementType::fp16, 0) == std::ldexp(1.0, -24)); // the smallest subnormal
}
