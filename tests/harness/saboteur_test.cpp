// The saboteur on a fake implementation: what is certain is caught, and where the verdict does not notice it
// says so.
#include "fake_implementation.hpp"
#include "harness/sabotage/expected_z.hpp"
#include "harness/sabotage/saboteur.hpp"
#include "interface/error.hpp"
#include "sabotaged.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

namespace {

constexpr const char* small =
    "batch_prefill/h=2:1/sq=24/sk=256/d=128/kv=fp8/quant=page/page=64/causal=1/lse=1";

fake::Behaviour& fresh() {
  fake::reset_behaviours();
  return fake::behaviour("fake_a");
}

SabotageLedger sabotaged(const std::string& filter = "", const std::set<std::string>& done = {}) {
  const TemporaryFolder folder;
  SabotageLedger ledger;
  sabotage({.list = folder.write("list", small).string(),
            .implementation = "fake_a",
            .filter = filter,
            .done = done},
           [&](const SabotageEntry& entry) { ledger.entries.push_back(entry); });
  return ledger;
}

const SabotageEntry& entry_of(const SabotageLedger& ledger, const std::string& kind) {
  const auto place = std::ranges::find(ledger.entries, kind, &SabotageEntry::kind);
  REQUIRE(place != ledger.entries.end());
  return *place;
}

} // namespace

TEST_CASE("saboteur: of an implementation that computes what it is given all that is certain is caught") {
  fresh();
  const SabotageLedger ledger = sabotaged();
  CHECK(ledger.count(SabotageVerdict::missed) == 0);
  CHECK(ledger.count(SabotageVerdict::caught) > 10);
  for (const SabotageEntry& entry : ledger.entries) {
    CAPTURE(entry.kind, entry.place, entry.reason, entry.z);
    CHECK(entry.case_string == print_case(parse_case(small)));
    CHECK(entry.implementation == "fake_a");
    if (entry.verdict == SabotageVerdict::caught) CHECK(entry.noticed);
    if (entry.verdict == SabotageVerdict::below_sensitivity) CHECK(entry.z < certain_z);
    CHECK((!entry.noticed || !entry.reason.empty()));
  }
  const SabotageEntry& doubled = entry_of(ledger, "v_descale_x2");
  CHECK(doubled.verdict == SabotageVerdict::caught);
  CHECK(doubled.z > 20);
  CHECK_THAT(doubled.reason, Catch::Contains("audit: ") && Catch::Contains("V weighs "));
  CHECK(entry_of(ledger, "lse_in_base_2").verdict == SabotageVerdict::caught);
}

TEST_CASE("saboteur: a mistake that nobody notices is missed, and not forgotten") {
  // Inputs are made wrong, and the implementation computes the right ones all the same: a verdict that sees
  // nothing looks the same from here.
  const Problem problem = parse_case(small);
  const Tensors tensors = workload::make_tensors(problem);
  fake::Behaviour& behaviour = fresh();
  behaviour.use = [=](const Tensors&) { return tensors; };
  behaviour.problem = [=](const Problem&) { return problem; };
  const SabotageLedger ledger = sabotaged();
  const SabotageEntry& doubled = entry_of(ledger, "v_descale_x2");
  CHECK(doubled.verdict == SabotageVerdict::missed);
  CHECK_FALSE(doubled.noticed);
  CHECK(entry_of(ledger, "lse_in_base_2").verdict == SabotageVerdict::caught); // is made on the outputs
  CHECK(ledger.count(SabotageVerdict::missed) > 10);
}

TEST_CASE("saboteur: a filter chooses defects, and what is done is not run again") {
  fresh();
  const SabotageLedger some = sabotaged("v_descale_x(2|1.1)");
  REQUIRE(some.entries.size() == 4); // two places
  const SabotageLedger rest = sabotaged("v_descale_x(2|1.1)", {some.entries[0].key(), some.entries[3].key()});
  REQUIRE(rest.entries.size() == 2);
  CHECK(rest.entries[0].key() == some.entries[1].key());
  CHECK(rest.entries[1].key() == some.entries[2].key());
}

TEST_CASE("saboteur: nothing is proven with an implementation that is wrong by itself") {
  fresh().spoil = [](std::vector<double>& output, int) { output.back() += 1; };
  CHECK_THROWS_WITH(sabotaged(), Catch::StartsWith("fake_a on batch_prefill/") &&
                                     Catch::Contains("fails without any defect: "));
}

TEST_CASE("saboteur: a list or a filter that is none is refused") {
  CHECK_THROWS_AS(
      sabotage({.list = "no such list", .implementation = "fake_a", .filter = "", .done = {}}, {}),
      InvalidInput);
  CHECK_THROWS_AS(sabotaged("("), InvalidInput);
}

TEST_CASE("saboteur: certain is what is noticed even by kernels with noise of their own") {
  CHECK(sabotage_verdict({9, "audit"}, true) == SabotageVerdict::caught);
  CHECK(sabotage_verdict({9, "audit"}, false) == SabotageVerdict::missed);
  CHECK(sabotage_verdict({INFINITY, "sound"}, false) == SabotageVerdict::missed);
  CHECK(sabotage_verdict({8.99, "audit"}, true) == SabotageVerdict::below_sensitivity);
  CHECK(sabotage_verdict({8.99, "audit"}, false) == SabotageVerdict::below_sensitivity);
}

TEST_CASE("expected z: what rounding may hide of a mistake is taken back") {
  const double step = 1.0 / 128; // of bf16 from 1 to 2
  AttentionRows exact, wrong;
  exact.output = {1 + 0.4 * step, 1 + 0.4 * step, 1 + 0.4 * step, 1, -1, 2};
  wrong.output = {1 + 1.9 * step, 1 + 0.6 * step, 1 - 0.1 * step, 1 + step, -1 - 2.5 * step, NAN};
  wrong.lse = {7};
  const AttentionRows left = rounded_back(wrong, exact, ElementType::bf16);
  CHECK(left.lse == wrong.lse);
  CHECK(std::vector(left.output.begin(), left.output.begin() + 5) ==
        std::vector<double>{1 + step, 1, 1, 1 + step, -1 - 2 * step});
  CHECK(std::isnan(left.output[5]));
}

TEST_CASE("expected z: nothing of no change, and more the larger the mistake") {
  Sabotaged of(small);
  const auto z_of = [&](const AttentionRows& got) {
    return expected_z(evidence_of(of.problem, of.tensors, {}, got,
                                  audit_of(of.problem, of.tensors, {}, got, of.oracle), of.oracle));
  };
  const ExpectedZ nothing = z_of(of.exact());
  CHECK(nothing.z <= 1e-6);
  CHECK_FALSE(nothing.certain());
  const auto with_page = [&](float factor) {
    Tensors tensors = of.tensors;
    tensors.v_descale = Tensor(ElementType::fp32, of.tensors.v_descale.shape());
    std::ranges::copy(of.tensors.v_descale.as<float>(), tensors.v_descale.as<float>().begin());
    tensors.v_descale.as<float>()[page_of(of.problem, of.tensors, 0, 64)] *= factor;
    return z_of(oracle().exact(of.problem, tensors, of.rows, OracleInput::dequantised));
  };
  CHECK(with_page(1.0001f).z < 1);
  CHECK(with_page(1.1f).z > with_page(1.05f).z);
  CHECK(with_page(2).certain());
  CHECK(with_page(2).judge == "audit");

  AttentionRows got = of.exact();
  got.output[5] = std::numeric_limits<double>::quiet_NaN();
  CHECK(z_of(got).z == INFINITY);
  CHECK(z_of(got).judge == "sound");
  // A figure of the rows is 9 where it is twice its limit.
  got = of.exact();
  const double limit = 6 * std::sqrt(of.audit.noise[7].lse_variance);
  got.lse[7] += 2 * limit;
  CHECK(z_of(got).z >= Approx(9).epsilon(0.01));
  got.lse[7] = -INFINITY;
  CHECK(z_of(got).z == INFINITY);
  CHECK(z_of(got).judge == "lse");
}
