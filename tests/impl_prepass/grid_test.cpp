// A sample of the grid in data/cases/prepass-grid (all of it: fmha950 accuracy --list prepass-grid), and
// launches restricted to the workgroups that some query tiles need.
#include "harness/accuracy/accuracy_case.hpp"
#include "harness/cases/case_selection.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("every sixteenth case of the grid passes, with the same bits under four schedules", "[slow]") {
  const auto cases = harness::read_case_list("prepass-grid");
  CHECK(cases.size() >= 200);
  for (size_t i = 0; i < cases.size(); i += 16) {
    const Problem problem = parse_case(cases[i]);
    const Tensors tensors = workload::make_tensors(problem);
    harness::CaseOracle oracle(problem, tensors);
    harness::AccuracyOptions options;
    options.variations = {{"eager", "lazy", "timed", "random:1"}, {}, {"fma"}};
    harness::Record record;
    harness::judge_case(find_implementation("prepass"), problem, tensors, options, oracle, record);
    INFO(cases[i] << ": " << record.outcome.reason());
    CHECK(record.outcome.kind() == OutcomeKind::passed);
  }
}

TEST_CASE("a restricted run gives the rows of its tiles the bits of the whole run", "[slow]") {
  const Problem problem =
      parse_case("batch_prefill/h=16:2/sq=70,0,90/sk=300,7,129/d=128/kv=fp8/quant=page/causal=1/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const auto& prepass = find_implementation("prepass");
  const std::vector<QueryRow> rows = {{0, 0}, {0, 33}, {2, 89}};
  harness::CaseRun whole(prepass, problem, tensors), restricted(prepass, problem, tensors);
  const auto launches = restricted.plan().workgroups_for(rows);
  REQUIRE(launches.size() == 3);
  CHECK(launches[2].workgroups.size() == 6); // three tiles of 32 queries, two KV heads
  CHECK(whole.run({}, rows).rows == restricted.run({}, rows, true).rows);
}

TEST_CASE(
    "pages with gaps between them, consecutive ones and those of one pool give the bits of ordinary ones",
    "[slow]") {
  const auto outputs = [](const std::string& text) {
    const Problem problem = parse_case(text);
    const Tensors tensors = workload::make_tensors(problem);
    harness::CaseRun run(find_implementation("prepass"), problem, tensors);
    return run.run({}, harness::all_rows(problem)).rows;
  };
  for (const char* pool : {"page=1", "page=64/kv=fp8/quant=page", "page=32/kv=fp8/quant=mx/q=fp8",
                           "page=16/layout=vectorized/kv=fp8/quant=tensor", "table=vllm/layout=vectorized"}) {
    const std::string text =
        std::string("batch_prefill/h=4:2/sq=9,0,33/sk=130,7,64/d=128/causal=1/lse=1/") + pool;
    CAPTURE(text);
    const auto expected = outputs(text);
    CHECK(outputs(text + "/strided=1") == expected);
    CHECK(outputs(text + "/paged=0") == expected);
    CHECK(outputs(text + "/paged=0/strided=1") == expected);
    CHECK(outputs(text + "/interleaved=1") == expected);
    CHECK(outputs(text + "/paged=0/interleaved=1") == expected);
    if (std::string(pool).find("vectorized") != std::string::npos) continue;
    CHECK(outputs(text + "/layout=hnd") == expected);
    CHECK(outputs(text + "/layout=hnd/interleaved=1") == expected);
  }
}
