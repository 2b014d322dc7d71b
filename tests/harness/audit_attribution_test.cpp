// What the audit says of one wrong descale, on real inputs: whether K or V is to blame, and by how much.
#include "harness/accuracy/judged_run.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/sabotage/changed_tensors.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr int key = 1280; // the first of a page

// Of a plain implementation whose tensors `change` makes wrong.
template <class Change> Finding strongest(const std::string& form, const Change& change) {
  const Problem problem = parse_case("batch_prefill/h=4:1/sq=64/sk=2048/d=128/q=fp8/kv=fp8/page=64/" + form);
  const Tensors tensors = workload::make_tensors(problem);
  const ProbabilityRounding rounding{.type = ElementType::fp8, .shift = 8};
  CaseOracle right(problem, tensors);
  right.choose(all_rows(problem));
  Tensors wrong = tensors;
  wrong.k_descale = copy_of(tensors.k_descale);
  wrong.v_descale = copy_of(tensors.v_descale);
  change(problem, wrong);
  CaseOracle kernel(problem, wrong);
  kernel.choose(all_rows(problem));
  AttentionRows got = kernel.plain(rounding);
  if (!problem.lse) got.lse.clear();
  const AuditSums sums = audit_of(problem, tensors, rounding, got, right);
  const AuditVerdict verdict = judge_audit(evidence_of(problem, tensors, rounding, got, sums, right));
  CHECK_FALSE(verdict.passed());
  CHECK(verdict.findings.at(0).place.first_key == key);
  CHECK(verdict.findings.at(0).place.last_key == key + 64);
  return verdict.findings.at(0);
}

} // namespace

TEST_CASE("audit: a wrong descale of K is called a factor of scores, one of V a weight of V") {
  for (const std::string form : {"quant=page", "quant=page/lse=1"})
    for (const float factor : {0.9f, 1.1f, 1.5f}) {
      CAPTURE(form, factor);
      const auto times = [&](Tensor Tensors::* descale) {
        return strongest(form, [&](const Problem& problem, Tensors& tensors) {
          (tensors.*descale).as<float>()[page_of(problem, tensors, 0, key)] *= factor;
        });
      };
      const Finding of_k = times(&Tensors::k_descale), of_v = times(&Tensors::v_descale);
      CHECK(of_k.place.kind == PartKind::tile_scores);
      CHECK(of_v.place.kind == PartKind::tile);
      CHECK(of_v.share == Approx(factor - 1).margin(4 * of_v.sigma));
      // Of small changes alone P is a line.
      if (factor < 1.2f) CHECK(of_k.share == Approx(factor - 1).margin(0.02));
    }
}

TEST_CASE("audit: a wrong block scale of K is called a factor of scores") {
  constexpr int keys = 64, columns = 4, wrong_block = 2; // blocks of 32 columns
  const Finding finding = strongest("quant=mx/lse=1", [](const Problem& problem, Tensors& tensors) {
    const auto scales = tensors.k_descale.as<uint8_t>();
    const int64_t first = int64_t{page_of(problem, tensors, 0, key)} * keys * columns;
    for (int64_t slot = 0; slot < keys; ++slot) scales[first + slot * columns + wrong_block] += 1;
  });
  // A factor of two is no small change: all columns may explain as much as the wrong ones.
  CHECK((finding.place.kind == PartKind::tile_scores || finding.place.kind == PartKind::block_scores));
}
