// deterministic=1: every implementation that says that a request's bits do not depend on the batch keeps to it.
#include "harness/cases/case_selection.hpp"
#include "harness/device/device_case.hpp"
#include "harness/probe/batch_bits.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

std::optional<std::string> verdict(std::string_view implementation, const Problem& problem) {
  return batch_difference(find_implementation(implementation), problem, workload::make_tensors(problem),
                          batches_of(static_cast<int>(problem.requests.size())));
}

RowOutputs outputs_of(const Problem& problem, const Tensors& tensors, std::string& variant) {
  std::vector<QueryRow> rows;
  for (int query = 0; query < problem.requests[0].query_length; ++query) rows.push_back({0, query});
  CaseRun run(find_implementation("pipelined"), problem, tensors);
  variant = run.plan().variant();
  return run.run({}, rows).rows;
}

} // namespace

TEST_CASE("deterministic-grid: each implementation gives a request the bits that it has alone", "[slow]") {
  std::set<std::string_view> asked;
  for (const std::string& line : read_case_list("deterministic-grid")) {
    const Problem problem = parse_case(line);
    for (const auto& implementation : implementations()) {
      if (!implementation->supports(problem)) continue;
      CAPTURE(implementation->name(), line);
      asked.insert(implementation->name());
      CHECK(verdict(implementation->name(), problem).value_or("") == "");
    }
  }
  CHECK(asked == std::set<std::string_view>{"baseline", "baseline_two_launch", "fused", "fused_mxfp4",
                                            "pipelined", "pipelined_direct_p", "pipelined_x16", "prepass"});
}

TEST_CASE("batch bits: a plan whose key split follows from the batch is noticed: pipelined without "
          "deterministic=1") {
  Problem problem =
      parse_case("batch_prefill/h=4:2/sq=1,5,1,40/sk=700,60,2100,300/d=128/q=fp8/kv=fp8/quant=tensor/lse=1");
  const std::string reason = verdict("pipelined", problem).value_or("nothing");
  CHECK_THAT(reason, Catch::Contains("has other bits"));
  problem.batch_invariant = true;
  CHECK(verdict("pipelined", problem).value_or("nothing") == "nothing");
}

TEST_CASE("pipelined's kernel for pools beyond 4 GiB has the bits of the one for smaller pools") {
  // A pool's size is no request's own.
  const std::string text =
      "batch_prefill/h=16:8/sq=70/sk=2500/d=128/q=fp8/kv=fp8/quant=tensor/lse=1/causal=1/order=sequential"
      "/deterministic=1/spare=";
  std::string small, large;
  const Problem near = parse_case(text + "3"), far = parse_case(text + "280000");
  const RowOutputs of_near = outputs_of(near, workload::make_tensors(near), small);
  const RowOutputs of_far = outputs_of(far, workload::make_tensors(far), large);
  CHECK(small == "pipelined_f8f6f4/prefill_scattered/split=2");
  CHECK(large == "pipelined_f8f6f4/prefill_scattered_64/split=2");
  CHECK(of_near == of_far);
}
