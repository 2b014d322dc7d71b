// The rows' judge: every limit fails by itself just above what it is, and holds just below. The arithmetic is
// that of synthetic_evidence.hpp: 256 rows, noise of 0.01 across the row and 0.001 along it.
#include "harness/judge/verdict.hpp"
#include "synthetic_evidence.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

namespace {

Names failures(const SyntheticEvidence& sample) { return failed(judge_rows(sample.evidence(), sample.got)); }

Limit limit(const SyntheticEvidence& sample, const std::string& name) {
  for (const Limit& one : judge_rows(sample.evidence(), sample.got))
    if (one.name == name) return one;
  FAIL("no limit " << name);
  return {};
}

// break_by(sample, size) fails the one limit and no other just above `size`, and none just below.
template <class Break>
void fails_alone_above(const std::string& name, double size, const SyntheticEvidence& sample,
                       Break break_by) {
  CAPTURE(name, size);
  SyntheticEvidence above = sample, below = sample;
  break_by(above, size * 1.0001);
  break_by(below, size * 0.9999);
  CHECK(failures(above) == Names{name});
  CHECK(failures(below).empty());
}

void across(SyntheticEvidence& sample, size_t row, double error) {
  for (size_t column = 1; column < sample.columns; ++column) sample.element(row, column) = error;
}

} // namespace

TEST_CASE("rows: no error takes nothing of any limit") {
  const SyntheticEvidence sample;
  const std::vector<Limit> limits = judge_rows(sample.evidence(), sample.got);
  Names names;
  for (const Limit& one : limits) names.push_back(one.name);
  CHECK(names == Names{"rmse", "row", "length", "element", "norm_ratio", "lse"}); // no ceiling: not FP8
  CHECK(largest_share(limits) == 0);
}

TEST_CASE("rows: rmse of a bucket") {
  // 1.25 sqrt(1e-4): every row has errors of 0.0125 in the 63 columns across o; mean square 63 e^2 / 63.
  const auto all = [](SyntheticEvidence& sample, double error) {
    for (size_t row = 0; row < 256; ++row) across(sample, row, error);
  };
  fails_alone_above("rmse", 0.0125, SyntheticEvidence(), all);
  // 63 independent numbers a row: m = 256 * 63 of them, times sqrt(1 + 6 sqrt(2 / m)) = 1.03286.
  SyntheticEvidence few;
  for (RowNoise& noise : few.audit.noise) noise.directions = 63;
  fails_alone_above("rmse", 0.0125 * std::sqrt(1 + 6 * std::sqrt(2.0 / (256 * 63))), few, all);
}

TEST_CASE("rows: a bucket's loud rows do not hide quiet ones, nor one KV head another") {
  const auto quiet = [](SyntheticEvidence& sample, double error) {
    for (size_t row = 0; row < 256; row += 2) across(sample, row, error);
  };
  SyntheticEvidence sample;
  SECTION("noise") {
    for (size_t row = 1; row < 256; row += 2) sample.audit.noise[row].across = 1;
    fails_alone_above("rmse", 0.0125, sample, quiet);
    quiet(sample, 0.013);
    CHECK(limit(sample, "rmse").where == "128 rows of KV head 0");
  }
  SECTION("heads") {
    sample.problem.query_heads = sample.problem.kv_heads = 2; // 128 queries of two heads
    for (AttentionRows* rows : {&sample.exact, &sample.plain, &sample.got}) rows->rows.resize(128);
    sample.audit.owners.push_back(sample.audit.owners[0]);
    sample.audit.owners[1].kv_head = 1;
    fails_alone_above("rmse", 0.0125, sample, quiet); // of head 0
  }
}

TEST_CASE("rows: one row") {
  // 2.5 sqrt(1e-4). With 256 rows this is 0.0016 in the bucket.
  fails_alone_above("row", 0.025, SyntheticEvidence(),
                    [](SyntheticEvidence& sample, double error) { across(sample, 77, error); });
  SyntheticEvidence sample;
  across(sample, 77, 0.03);
  CHECK(limit(sample, "row").where == "request 0, query 77, head 0");
  CHECK(limit(sample, "row").value == Approx(0.03));
}

TEST_CASE("rows: a row made of few numbers may be further off, that of few keys by what those can do") {
  // chi(f) = sqrt(1 + 2 sqrt(14 / f) + 28 / f): f = 8 gives sqrt(1 + 2.6458 + 3.5) = 2.6732;
  // f = 14 gives sqrt(5) = 2.236, which is less than 2.5; f = 1 gives sqrt(29 + 7.4833) = 6.0402.
  // Two keys: f = 2 gives 4.503, and they do at most 2.2 sqrt(2) = 3.11, which counts as 3.2; f = 4
  // gives 3.426. Four keys in one direction: f = 0.8 gives 6.667, and they do at most 4.4.
  for (const auto& [terms, directions, factor] : {std::tuple(8.0, infinity, 2.6732),
                                                  {2.0, infinity, 3.2},
                                                  {4.0, infinity, 3.4264},
                                                  {14.0, infinity, 2.5},
                                                  {infinity, 8.0, 2.6732},
                                                  {infinity, 1.0, 6.0402},
                                                  {4.0, 1.0, 4.4},
                                                  {16.0, 16.0, 2.6732}}) {
    CAPTURE(terms, directions);
    SyntheticEvidence sample;
    sample.audit.noise[3].terms = terms;
    sample.audit.noise[3].directions = directions;
    across(sample, 3, 0.001);
    CHECK(limit(sample, "row").limit == Approx(factor * 0.01).epsilon(1e-4));
  }
}

TEST_CASE("rows: the length of one row") {
  // 6 sqrt(1e-6) + 2 / 257 = 0.0137821 of 2, in column 0.
  fails_alone_above("length", 0.006 + 2.0 / 257, SyntheticEvidence(),
                    [](SyntheticEvidence& sample, double share) { sample.element(9, 0) = 2 * (1 - share); });
}

TEST_CASE("rows: one element") {
  // Column 1, where o is 0: 8 * 0.01; 2 ulp of bf16 at 0 are nothing. As a row: 0.08 / sqrt(63) = 0.0101.
  fails_alone_above("element", 0.08, SyntheticEvidence(),
                    [](SyntheticEvidence& sample, double error) { sample.element(5, 1) = -error; });
  SyntheticEvidence sample;
  sample.element(5, 1) = 0.09;
  CHECK(limit(sample, "element").where == "request 0, query 5, head 0, column 1");
  // Column 0: 8 sqrt(1e-4 + 4e-6) + 2 ulp at 2 (2^-6) + 2 / 257 of 2.
  sample = SyntheticEvidence();
  sample.audit.noise[5].along = 1e-6;
  sample.element(5, 0) = 2.5;
  CHECK(limit(sample, "element").limit ==
        Approx(8 * std::sqrt(1.04e-4) + 2 * std::ldexp(1, -6) + 2.0 * 2 / 257));
  // Four keys: half as much again.
  sample = SyntheticEvidence();
  sample.audit.noise[5].terms = 4;
  sample.element(5, 1) = 0.1;
  CHECK(limit(sample, "element").limit == Approx(0.12));
  // Four directions of 64 columns: one column may have as much as sixteen.
  sample.audit.noise[5].terms = infinity;
  sample.audit.noise[5].directions = 4;
  sample.element(5, 1) = 0.3;
  CHECK(limit(sample, "element").limit == Approx(0.08 * 4));
}

TEST_CASE("rows: an outlier channel speaks for itself alone") {
  SyntheticEvidence sample;
  sample.audit.owners[0].column_scale[1] = 10; // values ten times as large as in other columns
  sample.element(5, 1) = 0.7;                  // of 10 * 0.01 * 8
  CHECK(failures(sample).empty());
  CHECK(limit(sample, "row").value == Approx(0.07 / std::sqrt(63.0)));
  sample.element(5, 1) = 0.81;
  CHECK(failures(sample) == Names{"element"});
}

TEST_CASE("rows: the norm of all rows") {
  // Every row too long by x: each is within its own 0.01378. Of o: |o|^2 = 4 a row, 1024 in all; its noise is
  // 256 (4 * 1.04e-4 + 16e-6) = 0.110592, 6 sqrt of it 1.99534; 1.25^2 / 2 of the squared errors
  // 256 (1.04e-4 + 63e-4) = 1.639424 are 1.2808; (1.99534 + 1.2808) / 1024 + 2 / 257 = 0.0109814.
  fails_alone_above("norm_ratio", (1.99534 + 1.2808) / 1024 + 2.0 / 257, SyntheticEvidence(),
                    [](SyntheticEvidence& sample, double share) {
                      for (size_t row = 0; row < 256; ++row) sample.element(row, 0) = 2 * (1 + share);
                    });
}

TEST_CASE("rows: the published ceiling of FP8") {
  const auto one = [](SyntheticEvidence& sample, double error) { sample.element(5, 1) = error; };
  SyntheticEvidence sample;
  sample.max_value = 0.5; // 0.055 * max(1, 0.5)
  fails_alone_above("fp8_ceiling", 0.055, sample, one);
  sample.max_value = 1.2;
  fails_alone_above("fp8_ceiling", 0.066, sample, one);
}

TEST_CASE("rows: the LSE of one row") {
  fails_alone_above("lse", 6e-4, SyntheticEvidence(),
                    [](SyntheticEvidence& sample, double error) { sample.got.lse[3] = 7 + error; });
  SyntheticEvidence sample;
  sample.got.lse[3] = 8;
  CHECK(limit(sample, "lse").where == "request 0, query 3, head 0");
  sample.problem.lse = false; // nobody asked for it
  sample.got.lse.clear();
  CHECK(failures(sample).empty());
}

TEST_CASE("rows: the LSE of a row that sees nothing is -inf, exactly") {
  SyntheticEvidence sample;
  sample.exact.lse[0] = sample.got.lse[0] = -infinity;
  sample.audit.noise[0].lse_variance = 0;
  CHECK(failures(sample).empty());
  sample.got.lse[0] = -1e30;
  CHECK(failures(sample) == Names{"lse"});
  sample.exact.lse[0] = 7;
  sample.audit.noise[0].lse_variance = 1e-8;
  sample.got.lse[0] = -infinity;
  CHECK(failures(sample) == Names{"lse"});
}

TEST_CASE("rows: what is not a number never holds, wherever it stands") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  SyntheticEvidence sample;
  sample.element(200, 1) = nan;
  CHECK(failures(sample) == Names{"rmse", "row", "length", "element", "norm_ratio"});
  // A limit that is none does not hide the row before it, whose error is too large.
  sample = SyntheticEvidence();
  across(sample, 3, 0.03);
  across(sample, 4, 0.001);
  sample.audit.noise[4].across = nan;
  const Names names = failures(sample);
  CHECK(std::ranges::find(names, "row") != names.end());
}
