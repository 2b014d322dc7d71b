// What plan() refuses, what it says of itself, and the workgroups that rows need.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "impl_fused/fused_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using Catch::Contains;

namespace {

// Of a plan that is never enqueued: the device tensors need not be there.
std::string refusal(const Problem& problem, const Tensors& tensors) {
  try {
    fused::FusedPlan(problem, tensors, {});
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("more rows than are numbered, and pages of 4 GiB, are refused by name") {
  // No tensors: they would be gigabytes, and this is checked before any is looked at.
  CHECK_THAT(refusal(parse_case("batch_prefill/h=40:1/sq=13421773/sk=1/q=fp8/kv=fp8"), {}),
             Contains("sq") && Contains("fused takes at most 536870912 per request"));
  CHECK_THAT(refusal(parse_case("batch_prefill/h=32768:32768/sq=0/sk=0/q=fp8/kv=fp8/page=1024"), {}),
             Contains("32768 KV heads with pages of 1024") && Contains("less than 4 GiB"));
  // Two elements are a byte: twice as many heads.
  CHECK_THAT(refusal(parse_case("batch_prefill/h=65536:65536/sq=0/sk=0/q=fp8/kv=mxfp4/page=1024"), {}),
             Contains("65536 KV heads with pages of 1024") && Contains("less than 4 GiB"));
}

TEST_CASE("V descales of pages too far apart are refused by name") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=200/q=fp8/kv=fp8/quant=page/page=64");
  Tensors tensors = workload::make_tensors(problem);
  CHECK(refusal(problem, tensors) == "");
  const auto pages = touched_pages(problem, tensors);
  REQUIRE(pages.size() == 4);
  tensors.v_descale.as<float>()[pages[1]] = 0x1p60f;
  tensors.v_descale.as<float>()[pages[2]] = 0x1p-60f;
  CHECK_THAT(refusal(problem, tensors), Contains("v_descale") && Contains("fused takes descales of pages"));
}

TEST_CASE("plan() validates its inputs") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=20/q=fp8/kv=fp8/quant=mx");
  Tensors tensors = workload::make_tensors(problem);
  tensors.kv_page_indices.as<int32_t>()[1] = static_cast<int32_t>(tensors.pool_pages());
  try {
    find_implementation("fused").plan(problem, tensors, {});
    FAIL("was not refused");
  } catch (const InvalidInput& error) {
    CHECK_THAT(error.what(), Contains("kv_page_indices"));
  }
}

TEST_CASE("results name the kernel, there is one launch and no scratch but the list of workgroups") {
  const Problem problem = parse_case("batch_prefill/h=2:1/sq=65/sk=100/q=fp8/kv=fp8/quant=mx/page=32");
  const fused::FusedPlan plan(problem, workload::make_tensors(problem), {});
  CHECK(plan.variant() == "fused/attention_mx");
  CHECK(plan.probability_rounding().type == ElementType::fp8);
  CHECK(plan.probability_rounding().shift == 8);
  CHECK(plan.workspace_bytes() == 2 * sizeof(attention::WorkItem)); // 130 rows
  CHECK(plan.query_tile() == 64);
  const auto launches = plan.workgroups_for({{0, 64}});
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].workgroups.size() == 1);
}

TEST_CASE("K and V in MXFP4 have a kernel of their own, beside Q and P in FP8") {
  const Problem problem = parse_case("batch_prefill/h=2:1/sq=65/sk=100/q=fp8/kv=mxfp4/page=32");
  const fused::FusedPlan plan(problem, workload::make_tensors(problem), {});
  CHECK(plan.variant() == "fused_mxfp4/attention_mxfp4");
  CHECK(plan.probability_rounding().type == ElementType::fp8);
  CHECK(plan.probability_rounding().shift == 8);
}

TEST_CASE("a restricted run gives the rows of its tiles the bits of the whole run", "[slow]") {
  const auto [name, form] =
      GENERATE(table<std::string, std::string>({{"fused", "kv=fp8/quant=mx"}, {"fused_mxfp4", "kv=mxfp4"}}));
  const Problem problem =
      parse_case("batch_prefill/h=16:2/sq=70,0,90/sk=300,7,129/q=fp8/" + form + "/page=32/causal=1/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const auto& fused = find_implementation(name);
  const std::vector<QueryRow> rows = {{0, 0}, {0, 33}, {2, 89}};
  harness::CaseRun whole(fused, problem, tensors), restricted(fused, problem, tensors);
  const auto launches = restricted.plan().workgroups_for(rows);
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].workgroups.size() == 6); // three tiles of 16 queries, two KV heads
  CHECK(whole.run({}, rows).rows == restricted.run({}, rows, true).rows);
}
