// A problem whose keys are split against the same problem with enough other work that they are not.
#include "harness/accuracy/case_oracle.hpp"
#include "harness/accuracy/limits.hpp"
#include "harness/accuracy/row_sample.hpp"
#include "harness/device/case_run.hpp"
#include "harness/workload/generate.hpp"
#include "interface/case_string.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace fmha950;

namespace {

struct Ran {
  std::string variant;
  harness::RowValues values;
};

Ran ran(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows) {
  harness::CaseRun run(find_implementation("pipelined"), problem, tensors);
  return {run.plan().variant(), harness::decode(problem, run.run({}, rows).rows)};
}

std::vector<QueryRow> rows_of_first_request(const Problem& problem) {
  std::vector<QueryRow> rows;
  for (const QueryRow& row : harness::all_rows(problem))
    if (row.request == 0) rows.push_back(row);
  return rows;
}

} // namespace

TEST_CASE("split keys give what unsplit ones give, within the accuracy rule") {
  const std::string rest =
      GENERATE(as<std::string>(), "/page=64", "/page=16/causal=1", "/page=64/cap=30", "/paged=0");
  CAPTURE(rest);
  const std::string options = "/d=128/q=fp8/kv=fp8/lse=1" + rest;
  // Values belong to request, token and head: the first request is the same in both.
  const Problem alone = parse_case("batch_prefill/h=4:1/sq=40/sk=1100" + options);
  std::string queries = "40", keys = "1100";
  for (int i = 0; i < 255; ++i) queries += ",1", keys += ",1";
  const Problem among_others = parse_case("batch_prefill/h=4:1/sq=" + queries + "/sk=" + keys + options);

  const Tensors tensors = workload::make_tensors(alone);
  const auto rows = rows_of_first_request(alone);
  const Ran split = ran(alone, tensors, rows);
  const Ran whole = ran(among_others, workload::make_tensors(among_others), rows);
  CHECK_THAT(split.variant, Catch::EndsWith("/split=2"));
  CHECK_THAT(whole.variant, !Catch::Contains("split"));

  harness::CaseOracle oracle(alone, tensors);
  oracle.choose(rows);
  const AttentionRows& plain = oracle.plain({ElementType::fp8, 8});
  harness::Evidence evidence;
  evidence.query_rows = static_cast<int64_t>(rows.size());
  evidence.reference = whole.values.output;
  evidence.got = split.values.output;
  evidence.untouched = split.values.output_untouched;
  evidence.plain = plain.output;
  evidence.lse_reference = whole.values.lse;
  evidence.lse_got = split.values.lse;
  evidence.lse_untouched = split.values.lse_untouched;
  evidence.lse_plain = plain.lse;
  const harness::Verdict verdict = harness::judge(evidence);
  CHECK(verdict.reason() == "");
  CHECK(verdict.kernel.max_abs > 0); // they did run on different kernels' sums
}

TEST_CASE("parts in which rows see nothing, and requests without keys, take no part in the result") {
  // With more queries than keys the first rows see nothing; the first request's last parts hold keys that its
  // first rows do not see.
  const Problem problem =
      parse_case("batch_prefill/h=2:1/sq=1300,3,5/sk=1100,0,64/d=128/q=fp8/kv=fp8/page=16/causal=1/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const auto rows = harness::all_rows(problem);
  const Ran split = ran(problem, tensors, rows);
  CHECK_THAT(split.variant, Catch::EndsWith("/split=2"));
  harness::CaseOracle oracle(problem, tensors);
  oracle.choose(rows);
  const auto& exact = oracle.exact(OracleInput::dequantised);
  int nothing = 0;
  for (size_t row = 0; row < split.values.lse.size(); ++row) {
    if (!std::isinf(exact.lse[row])) continue;
    ++nothing;
    CHECK(split.values.lse[row] == exact.lse[row]);
    for (int column = 0; column < 128; ++column) CHECK(split.values.output[row * 128 + column] == 0);
  }
  CHECK(nothing == (200 + 3) * 2);
}
