// The first judge: what is no reference, or not all of it, is the harness's own fault, and is named.
#include "harness/accuracy/judged_run.hpp"
#include "harness/judge/verdict.hpp"
#include "interface/case_string.hpp"
#include "synthetic_audit.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

void check_unsound(const SyntheticEvidence& sample, const std::string& text) {
  CHECK_THROWS_AS(judge(sample.evidence()), OracleUnsound);
  CHECK_THROWS_WITH(judge(sample.evidence()), text);
}

} // namespace

TEST_CASE("sound: what is right and complete is judged") {
  const Verdict verdict = judge(SyntheticEvidence(4).evidence());
  CHECK(verdict.passed());
  CHECK(verdict.reason().empty());
}

TEST_CASE("sound: a reference or a plain implementation of the wrong size is none") {
  SyntheticEvidence sample(4);
  SECTION("reference") {
    sample.exact.output.pop_back();
    check_unsound(sample, "oracle: output of the reference: 255 elements compared, expected 256");
  }
  SECTION("its LSE") {
    sample.exact.lse.push_back(7);
    check_unsound(sample, "oracle: LSE of the reference: 5 elements compared, expected 4");
  }
  SECTION("plain") {
    sample.plain.output.clear();
    check_unsound(sample, "oracle: output of the plain implementation: 0 elements compared, expected 256");
  }
}

TEST_CASE("sound: fewer elements of the kernel than there should be are no pass") {
  SyntheticEvidence sample(4);
  SECTION("output") {
    sample.got.output.resize(255);
    check_unsound(sample, "oracle: output of the kernel: 255 elements compared, expected 256");
  }
  SECTION("LSE") {
    sample.got.lse.clear();
    check_unsound(sample, "oracle: LSE of the kernel: 0 elements compared, expected 4");
  }
  SECTION("noise, without which a row is not looked at") {
    sample.audit.noise.pop_back();
    check_unsound(sample, "oracle: rows of the audit: 3 elements compared, expected 4");
  }
  SECTION("no row at all") {
    for (AttentionRows* rows : {&sample.exact, &sample.plain, &sample.got}) *rows = {};
    sample.audit.noise.clear();
    check_unsound(sample, "oracle: no row of 4 was compared");
    sample.problem.requests = {{0, 64}}; // there is none
    CHECK(judge(sample.evidence()).passed());
  }
}

TEST_CASE("sound: a reference that is not finite is none, but for the LSE of rows that see nothing") {
  SyntheticEvidence sample(4);
  SECTION("NaN") {
    sample.exact.output[70] = sample.exact.output[80] = not_a_number;
    check_unsound(sample,
                  "oracle: output of the reference: 2 of 256 elements are not finite, first element 70");
  }
  SECTION("infinite") {
    sample.plain.output[3] = -infinity;
    check_unsound(
        sample,
        "oracle: output of the plain implementation: 1 of 256 elements are not finite, first element 3");
  }
  SECTION("LSE") {
    sample.exact.lse[2] = infinity;
    check_unsound(sample, "oracle: LSE of the reference: 1 of 4 elements are not finite, first element 2");
  }
  SECTION("LSE of a row that sees nothing") {
    sample.exact.lse[2] = sample.plain.lse[2] = sample.got.lse[2] = -infinity;
    CHECK(judge(sample.evidence()).passed());
  }
}

TEST_CASE("sound: the limits are not fair to anybody if the plain implementation does not keep them") {
  SyntheticEvidence sample(256);
  sample.got = sample.exact;
  sample.plain.output[5 * 64 + 1] = 0.09; // limit 0.08: row_judge_test.cpp
  check_unsound(sample, "oracle: the plain implementation does not pass: element 0.09 over its limit 0.08: "
                        "request 0, query 5, head 0, column 1");
}

TEST_CASE("sound: of many parts few may stand out in the plain implementation") {
  SyntheticAudit sample(16, {64 * 64});
  std::vector<PartSums>& tiles = sample.tiles(0, 0).sums;
  tiles.assign(64, part(0, 0.001));
  std::vector<PartSums>& keys = sample.list(0, 0, PartKind::key).sums;
  keys.assign(64 * 64, part(0, 0.001));
  const auto wrong = [&](size_t count) { // by 30 sigmas more than the floor
    std::fill_n(keys.begin(), count, part(0, 0.001, 0, 0.03 + 1.0 / 257));
  };
  wrong(16);
  CHECK(judge(sample.evidence()).passed());
  wrong(17);
  const std::string weighs = " (page 0 of request 0, KV head 0): V weighs 1.034 +- 0.002 of what it should; ";
  check_unsound(sample, "oracle: the plain implementation does not pass: audit: key 0" + weighs + "key 1" +
                            weighs + "key 2" + weighs + "and 14 more parts");
}

TEST_CASE("sound: shares of the plain implementation that scatter without bound excuse nothing") {
  SyntheticAudit sample(16, {64 * 64});
  std::vector<PartSums>& tiles = sample.tiles(0, 0).sums;
  tiles.assign(64, part(0, 0.001, 0, 0.0159 + 1.0 / 257));
  CHECK(judge(sample.evidence()).passed());
  tiles.assign(64, part(0, 0.001, 0, 0.0161 + 1.0 / 257));
  check_unsound(sample,
                "oracle: the plain implementation does not pass: shares of parts scatter 16.1 times as "
                "much as noise would, at most 16 is fair");
}

TEST_CASE("sound: P of fp8 is for K and V of fp8 or mxfp4") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=32/d=64");
  const Tensors tensors = workload::make_tensors(problem);
  CaseOracle oracle(problem, tensors);
  oracle.choose({{0, 0}});
  CHECK_THROWS_AS(judge_run(problem, tensors, {.type = ElementType::fp8}, oracle.rows(), {}, oracle),
                  OracleUnsound);
  CHECK_THROWS_WITH(judge_run(problem, tensors, {.type = ElementType::fp8}, oracle.rows(), {}, oracle),
                    "oracle: p=fp8 is for K and V in fp8 or mxfp4, and these are bf16");
}

TEST_CASE("sound: a row that the oracle judges and nobody ran is no pass") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=2/sk=32/d=64");
  const Tensors tensors = workload::make_tensors(problem);
  CaseOracle oracle(problem, tensors);
  oracle.choose({{0, 1}});
  RowOutputs outputs;
  outputs.output.resize(64 * 2);
  CHECK_THROWS_WITH(judge_run(problem, tensors, {}, {{0, 0}}, outputs, oracle),
                    "oracle: request 0, query 1 was not run");
}

TEST_CASE("NaN, Inf and untouched elements fail by themselves, each under its own name") {
  const std::vector<double> values{1, not_a_number, infinity, -infinity, 2};
  const std::vector<uint8_t> untouched{0, 0, 0, 0, 1};
  CHECK(describe(find_defects(values, untouched), "output") ==
        "output: 1 untouched, 1 NaN, 2 Inf, first at element 1");
  CHECK(describe(find_lse_defects(values, untouched), "lse") ==
        "lse: 1 untouched, 1 NaN, 1 Inf, first at element 1");
  Verdict verdict;
  CHECK(verdict.passed());
  SECTION("output") {
    verdict.defects = find_defects(values, untouched);
    CHECK(verdict.reason() == "output: 1 untouched, 1 NaN, 2 Inf, first at element 1");
  }
  SECTION("LSE") {
    verdict.lse_defects = find_lse_defects(values, untouched);
    CHECK(verdict.reason() == "lse: 1 untouched, 1 NaN, 1 Inf, first at element 1");
  }
  CHECK_FALSE(verdict.passed());
}
