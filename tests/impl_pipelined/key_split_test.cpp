// Problems whose keys are split: against the same keys with enough other work that they are not, against the
// oracle, and the probes of the harness against mutants.
#include "attention/host/key_split.hpp"
#include "harness/accuracy/judged_run.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/probe/probe.hpp"
#include "harness/probe/probe_runner.hpp"
#include "impl_pipelined/pipelined_plan.hpp"
#include "interface/case_string.hpp"
#include "operators/batch_prefill/trials/trials.hpp"
#include "tests/support/mutants.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cmath>

using namespace fmha950;

namespace {

struct Ran {
  std::string variant;
  harness::RowOutputs outputs;
  harness::RowValues values;
  ProbabilityRounding rounding;
};

Ran ran(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows) {
  harness::CaseRun run(find_implementation("pipelined"), problem, tensors);
  harness::RowOutputs outputs = run.run({}, rows).rows;
  harness::RowValues values = harness::decode(problem, outputs);
  return {run.plan().variant(), std::move(outputs), std::move(values), run.plan().probability_rounding()};
}

std::vector<QueryRow> rows_of_first_request(const Problem& problem) {
  std::vector<QueryRow> rows;
  for (const QueryRow& row : harness::all_rows(problem))
    if (row.request == 0) rows.push_back(row);
  return rows;
}

// By the rows that the oracle has chosen, which are all that ran.
harness::Verdict judged(const Problem& problem, const Tensors& tensors, const Ran& ran,
                        harness::CaseOracle& oracle) {
  return harness::judge_run(problem, tensors, ran.rounding, oracle.rows(), ran.outputs, oracle).verdict;
}

// 300 queries see as many keys as they have predecessors, and three; the other request is long enough for
// parts of four tiles, so that the first tile of rows has one part of two tiles and one of three.
Problem triangle(const std::string& rest) {
  return parse_case("batch_prefill/h=1:1/sq=300,1/sk=302,2048/d=128/q=fp8/kv=fp8/causal=1/lse=1" + rest);
}

// The first request's queries that see a key in some of their tile's parts,
// and none in others that have keys.
std::vector<QueryRow> rows_of_some_parts(const Problem& problem) {
  const std::vector<int32_t> begins(problem.requests.size());
  const auto work = attention::split_keys(
      attention::make_work(problem, begins, {pipelined::rows_per_tile, pipelined::keys_per_tile}), 4);
  std::vector<QueryRow> rows;
  for (const QueryRow& row : rows_of_first_request(problem)) {
    int seen = 0, unseen = 0;
    for (const attention::Work& part : work) {
      const bool has_row = part.request == 0 && row.query >= part.item.first_row &&
                           row.query < part.item.first_row + pipelined::rows_per_tile;
      if (!has_row || part.item.first_tile == part.item.end_tile) continue;
      const int last_key = problem.requests[0].key_length - problem.requests[0].query_length + row.query;
      ++(part.item.first_tile * pipelined::keys_per_tile <= last_key ? seen : unseen);
    }
    if (seen > 0 && unseen > 0) rows.push_back(row);
  }
  return rows;
}

// Makes NaN of the keys of the first request from `first` on.
void poison_keys(const Problem& problem, Tensors& tensors, int first) {
  const auto keys = tensors.k_pool.as<uint8_t>();
  for (int token = first; token < problem.requests[0].key_length; ++token) {
    const int64_t slot =
        int64_t{page_of(problem, tensors, 0, token)} * problem.page_size + token % problem.page_size;
    std::fill_n(keys.begin() + slot * problem.head_dim, problem.head_dim, uint8_t{0x7f});
  }
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
  for (int i = 0; i < 4 * attention::compute_units; ++i) queries += ",1", keys += ",1";
  const Problem among_others = parse_case("batch_prefill/h=4:1/sq=" + queries + "/sk=" + keys + options);

  const Tensors tensors = workload::make_tensors(alone);
  const auto rows = rows_of_first_request(alone);
  const Ran split = ran(alone, tensors, rows);
  const Ran whole = ran(among_others, workload::make_tensors(among_others), rows);
  CHECK_THAT(split.variant, Catch::EndsWith("/split=4"));
  CHECK_THAT(whole.variant, !Catch::Contains("split"));

  harness::CaseOracle oracle(alone, tensors);
  oracle.choose(rows);
  CHECK(judged(alone, tensors, split, oracle).reason() == "");
  CHECK(judged(alone, tensors, whole, oracle).reason() == "");
  CHECK(split.values.output != whole.values.output); // they did run on different kernels' sums
}

TEST_CASE(
    "rows that see nothing in any part, and those of requests without keys, are 0 with an LSE of -inf") {
  const Problem problem =
      parse_case("batch_prefill/h=2:1/sq=1300,3,5/sk=1100,0,64/d=128/q=fp8/kv=fp8/page=16/causal=1/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const auto rows = harness::all_rows(problem);
  const Ran split = ran(problem, tensors, rows);
  CHECK_THAT(split.variant, Catch::EndsWith("/split=4"));
  harness::CaseOracle oracle(problem, tensors);
  oracle.choose(rows);
  const auto& exact = oracle.exact(OracleInput::dequantised);
  CHECK(judged(problem, tensors, split, oracle).reason() == "");
  int nothing = 0;
  for (size_t row = 0; row < split.values.lse.size(); ++row) {
    if (exact.lse[row] != -INFINITY) continue;
    ++nothing;
    CHECK(split.values.lse[row] == -INFINITY);
    for (int column = 0; column < 128; ++column) CHECK(split.values.output[row * 128 + column] == 0);
  }
  CHECK(nothing == (200 + 3) * 2);
}

TEST_CASE("a part of which a row sees nothing takes no part in its result") {
  const std::string rest = GENERATE(as<std::string>(), "/page=16", "/page=64", "/quant=page/page=64",
                                    "/paged=0", "/page=16/cap=30");
  CAPTURE(rest);
  const Problem problem = triangle(rest);
  const Tensors tensors = workload::make_tensors(problem);
  const auto rows = rows_of_some_parts(problem);
  REQUIRE(rows.size() == 126); // those that see fewer than the first part's 128 keys
  const Ran split = ran(problem, tensors, rows);
  CHECK_THAT(split.variant, Catch::EndsWith("/split=8"));
  harness::CaseOracle oracle(problem, tensors);
  oracle.choose(rows);
  CHECK(judged(problem, tensors, split, oracle).reason() == "");

  SECTION("not even where its keys are NaN") {
    const int seen = 128;
    Tensors poisoned = workload::make_tensors(problem);
    poison_keys(problem, poisoned, seen);
    CHECK(ran(problem, poisoned, rows).outputs == split.outputs);
    const std::vector<QueryRow> after = {{0, seen}}; // the poison is where it should be
    CHECK(std::isnan(ran(problem, poisoned, after).values.output[0]));
  }
}

TEST_CASE("the probes of the key split run on split keys") {
  for (const harness::Probe& probe : harness::key_splits()) {
    if (!find_implementation("pipelined").supports(probe.problem)) continue;
    CAPTURE(probe.name);
    const Tensors tensors = harness::make_tensors(probe);
    const harness::CaseRun run(find_implementation("pipelined"), probe.problem, tensors);
    CHECK_THAT(run.plan().variant(), Catch::EndsWith("/split=4"));
  }
}

TEST_CASE("each probe of the key split fails the mutant that makes its mistake") {
  const auto [mutant, probe] = GENERATE(table<std::string, std::string>({{"combine_base", "lse_base"},
                                                                         {"combine_relative", "far_apart"},
                                                                         {"nothing_seen", "empty_part"},
                                                                         {"nothing_seen", "masked_part"},
                                                                         {"combine_nothing", "masked_part"},
                                                                         {"diagonal_mask", "masked_part"}}));
  CAPTURE(mutant, probe);
  const harness::SourceMutant source = test::mutant_named("pipelined", mutant);
  const auto probes = harness::select_probes(harness::key_splits(), "/" + probe + "/.*page=64/quant=tensor");
  const Implementation& pipelined = find_implementation("pipelined");
  CHECK_FALSE(harness::first_failure(pipelined, probes, {}));
  const hip::CodeObjectOverride stands_in(source.code_object, harness::code_of(source));
  const auto failure = harness::first_failure(pipelined, probes, {});
  REQUIRE(failure);
  CHECK(failure->outcome.kind() == OutcomeKind::inaccurate);
}
