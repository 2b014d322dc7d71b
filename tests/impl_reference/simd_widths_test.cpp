// The oracle's passes are compiled three times. Sums come in another order then, and that is all: what is
// exact agrees to rounding in double, what rounds to P or to the output falls on the other side of a middle
// here and there, and the audit's fp32 sums agree so far as fp32 does. Widths are called by name here, so
// that FMHA950_SIMD does not matter.
#include "impl_reference/passes.hpp"
#include "interface/case_string.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "random_case.hpp"
#include "tests/support/sparse_case.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

namespace fmha950::reference {

FMHA950_PASSES_OF(batch_prefill)
FMHA950_PASSES_OF(append_prefill)
FMHA950_PASSES_OF(sparse_prefill)

} // namespace fmha950::reference

using namespace fmha950;
using namespace fmha950::reference;
using namespace fmha950::test;

namespace {

PassesOfWidths passes_of(const Problem& problem) {
  if (problem.op == "append_prefill") return passes_of_append_prefill();
  if (problem.op == "sparse_prefill") return passes_of_sparse_prefill();
  return passes_of_batch_prefill();
}

std::vector<std::pair<std::string, const Passes*>> wider(const PassesOfWidths& passes) {
  std::vector<std::pair<std::string, const Passes*>> widths;
  if (__builtin_cpu_supports("x86-64-v3")) widths.emplace_back("avx2", &passes.avx2);
  if (__builtin_cpu_supports("x86-64-v4")) widths.emplace_back("avx512", &passes.avx512);
  return widths;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values)
    if (std::isfinite(value)) most = std::max(most, std::fabs(value));
  return most;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) most = std::max(most, std::fabs(a[i] - b[i])); // of equal infinities none
  return most;
}

size_t differing(const std::vector<double>& a, const std::vector<double>& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

void check_lists(const PartList& a, const PartList& b) {
  REQUIRE(a.ends == b.ends);
  REQUIRE(a.sums.size() == b.sums.size());
  REQUIRE(a.lse.size() == b.lse.size());
  for (size_t i = 0; i < a.sums.size(); ++i) {
    CAPTURE(int(a.kind), i);
    // What is next to nothing across the directions may be nothing to one of them (least_heard).
    if (a.sums[i].information == 0 || b.sums[i].information == 0) continue;
    CHECK(b.sums[i].information == Approx(a.sums[i].information).epsilon(1e-3));
    CHECK(b.sums[i].own == Approx(a.sums[i].own).epsilon(2e-3));
    CHECK(b.sums[i].floor == Approx(a.sums[i].floor).epsilon(2e-3));
    // <e, c> to a thousandth of a sigma.
    CHECK(std::fabs(b.sums[i].got - a.sums[i].got) < 1e-2 * std::sqrt(a.sums[i].information));
  }
  for (size_t i = 0; i < a.lse.size(); ++i) {
    CHECK(b.lse[i].square == Approx(a.lse[i].square).epsilon(1e-3));
    CHECK(std::fabs(b.lse[i].got - a.lse[i].got) <=
          1e-2 * std::sqrt(a.lse[i].square) + 1e-3 * std::fabs(a.lse[i].got));
  }
}

void check_audits(const AuditSums& audit, const AuditSums& other) {
  REQUIRE(other.noise.size() == audit.noise.size());
  for (size_t i = 0; i < audit.noise.size(); ++i) {
    CHECK(other.noise[i].across == Approx(audit.noise[i].across).epsilon(1e-3));
    CHECK(other.noise[i].along == Approx(audit.noise[i].along).epsilon(1e-3));
    CHECK(other.noise[i].terms == Approx(audit.noise[i].terms).epsilon(1e-3));
    CHECK(other.noise[i].directions == Approx(audit.noise[i].directions).epsilon(1e-2));
    CHECK(other.noise[i].lse_variance == Approx(audit.noise[i].lse_variance).epsilon(1e-3));
  }
  REQUIRE(other.owners.size() == audit.owners.size());
  for (size_t g = 0; g < audit.owners.size(); ++g) {
    REQUIRE(other.owners[g].lists.size() == audit.owners[g].lists.size());
    for (size_t i = 0; i < audit.owners[g].lists.size(); ++i)
      check_lists(audit.owners[g].lists[i], other.owners[g].lists[i]);
  }
}

void check_widths(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                  const ProbabilityRounding& rounding) {
  const PassesOfWidths of_problem = passes_of(problem);
  const Passes& base = of_problem.baseline;
  const AttentionRows exact =
      base.exact(problem, tensors, rows, OracleInput::dequantised, {}, ScoresOfRows::kept);
  const AttentionRows plain = base.plain(problem, tensors, rows, rounding);
  AttentionRows got = plain;
  for (size_t i = 0; i < got.output.size(); i += 3) got.output[i] *= 1.1;
  const AuditSums audit = base.audit(problem, tensors, exact, rounding, plain, got);
  REQUIRE(exact.scores != nullptr);
  AttentionRows without_scores = exact; // which the audit then computes again
  without_scores.scores = nullptr;
  check_audits(audit, base.audit(problem, tensors, without_scores, rounding, plain, got));
  for (const auto& [name, passes] : wider(of_problem)) {
    CAPTURE(name);
    const AttentionRows wide =
        passes->exact(problem, tensors, rows, OracleInput::dequantised, {}, ScoresOfRows::kept);
    CHECK(largest_difference(wide.output, exact.output) <= 1e-12 * largest(exact.output));
    CHECK(largest_difference(wide.lse, exact.lse) <= 1e-12 * largest(exact.lse));

    const AttentionRows wide_plain = passes->plain(problem, tensors, rows, rounding);
    CHECK(differing(wide_plain.output, plain.output) <= plain.output.size() / 50);
    CHECK(largest_difference(wide_plain.output, plain.output) <= 0x1p-6 * largest(plain.output)); // an ulp
    CHECK(largest_difference(wide_plain.lse, plain.lse) <= 1e-6 * std::max(1.0, largest(plain.lse)));

    for (const AttentionRows& truth : {exact, without_scores})
      check_audits(audit, passes->audit(problem, tensors, truth, rounding, plain, got));
  }
}

} // namespace

TEST_CASE("vector widths: the oracle's passes agree") {
  std::mt19937 random(3);
  for (const char* text :
       {"batch_prefill/h=2:1/sq=5/sk=600/d=64/causal=1/lse=1/scale=0.05",
        "batch_prefill/h=2:1/sq=3,2/sk=40,130/d=128/kv=fp8/quant=page/window=30:0/sink=2/cap=5/lse=1",
        "batch_prefill/h=2:2/sq=4/sk=300/d=128/q=fp8/kv=fp8/quant=mx/page=32/lse=1/scale=0.001"}) {
    CAPTURE(text);
    const RandomCase c = fill(parse_case(text), random);
    std::vector<QueryRow> rows;
    for (int b = 0; b < int(c.problem.requests.size()); ++b)
      for (int i = 0; i < c.problem.requests[size_t(b)].query_length; ++i) rows.push_back({b, i});
    check_widths(c.problem, c.tensors, rows, {});
    if (c.problem.kv_type == ElementType::fp8)
      check_widths(
          c.problem, c.tensors, rows,
          {.type = ElementType::fp8, .shift = 8, .weighted = c.problem.quantisation == Quantisation::page});
  }
}

TEST_CASE("vector widths: sparse_prefill agrees, too") {
  std::mt19937 random(4);
  for (const auto& format : {std::optional<RowFormat>(), std::optional(RowFormat::split)}) {
    const SparseCase c = make_sparse_case(sparse_problem(4, format, 300, 40, {300, 150}, {40, 7}), random);
    check_widths(c.problem, c.tensors, {{0, 0}, {0, 1}}, {.sum_rounded = true});
  }
}
