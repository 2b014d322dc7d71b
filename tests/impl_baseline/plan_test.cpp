// What plan() refuses beyond what validation does for all, how it says so, and the workgroups that rows need.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "impl_baseline/baseline_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using Catch::Contains;

namespace {

// Of a plan that is never enqueued: the device tensors need not be there.
std::string refusal(const std::string& text, const DeviceTensors& device) {
  const Problem problem = parse_case(text);
  const Tensors tensors = workload::make_tensors(problem);
  try {
    baseline::BaselinePlan(problem, tensors, device);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("pages 4 GiB apart are refused by name, of K and of V") {
  const std::string text = "batch_prefill/h=1:1/sq=1/sk=1/d=128/strided=1";
  constexpr int64_t least = 16 * 128, too_far = int64_t(1) << 31; // in elements of two bytes
  DeviceTensors device;
  device.k_page_stride = too_far - 8;
  device.v_page_stride = least;
  CHECK(refusal(text, device) == "");
  device.k_page_stride = too_far;
  CHECK_THAT(refusal(text, device), Contains("k_page_stride") &&
                                        Contains("4294967296 bytes from page to page") &&
                                        Contains("less than 4 GiB apart"));
  device.k_page_stride = least;
  device.v_page_stride = too_far;
  CHECK_THAT(refusal(text, device), Contains("v_page_stride"));
}

TEST_CASE("more rows than are numbered are refused by name") {
  // No tensors: they would be terabytes, and this is checked before any is looked at.
  Problem problem = parse_case("batch_prefill/h=40:1/sq=13421773/sk=1/d=64");
  try {
    baseline::BaselinePlan plan(problem, {}, {});
    FAIL("was not refused");
  } catch (const InvalidInput& error) {
    CHECK_THAT(error.what(), Contains("sq") && Contains("536870920 queries times heads per KV head") &&
                                 Contains("at most 536870912 per request"));
  }
}

TEST_CASE("plan() validates its inputs") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=20/d=128/q=fp8/kv=fp8/quant=page");
  Tensors tensors = workload::make_tensors(problem);
  tensors.kv_page_indices.as<int32_t>()[1] = static_cast<int32_t>(tensors.pool_pages());
  try {
    find_implementation("baseline").plan(problem, tensors, {});
    FAIL("was not refused");
  } catch (const InvalidInput& error) {
    CHECK_THAT(error.what(), Contains("kv_page_indices"));
  }
}

TEST_CASE("results name code object and layout, P is what the accuracy rule compares with") {
  const auto [text, variant, type, shift] = GENERATE(table<std::string, std::string, ElementType, float>({
      {"batch_prefill/h=1:1/sq=1/sk=1/d=64", "baseline_bf16_d64_linear", ElementType::bf16, 0},
      {"batch_prefill/h=1:1/sq=1/sk=1/d=256/q=fp16/kv=fp16/o=fp16/layout=vectorized",
       "baseline_fp16_d256_vectorized", ElementType::fp16, 0},
      {"batch_prefill/h=1:1/sq=1/sk=1/d=192:128", "baseline_bf16_d192_128_linear", ElementType::bf16, 0},
      {"batch_prefill/h=1:1/sq=1/sk=1/d=192:128/q=fp16/kv=fp8/o=fp16/quant=page/page=64/layout=vectorized",
       "baseline_fp16_fp8_d192_128_vectorized_blockscale", ElementType::fp16, 8},
      {"batch_prefill/h=1:1/sq=1/sk=1/d=192:128/q=fp8/kv=fp8/quant=page/page=48",
       "baseline_fp8_d192_128_linear_blockscale_block_pages", ElementType::fp8, 8},
      {"batch_prefill/h=1:1/sq=1/sk=1/q=fp8/kv=fp8/quant=tensor", "baseline_fp8_d128_linear",
       ElementType::fp8, 8},
      {"batch_prefill/h=1:1/sq=1/sk=1/q=fp8/kv=fp8/quant=page",
       "baseline_fp8_blockscale_d128_linear_small_pages", ElementType::fp8, 8},
      {"batch_prefill/h=1:1/sq=1/sk=1/q=fp8/kv=fp8/quant=page/page=576",
       "baseline_fp8_block_pages_d128_linear_blockscale_block_pages", ElementType::fp8, 8},
      {"batch_prefill/h=2:2/sq=1/sk=1/layout=hnd", "baseline_bf16_d128_linear", ElementType::bf16, 0},
      {"batch_prefill/h=1:1/sq=1/sk=1/causal=1/tree=8", "baseline_bf16_tree_d128_linear_tree",
       ElementType::bf16, 0},
      {"batch_prefill/h=1:1/sq=1/sk=1/q=fp8/kv=fp8/quant=page/page=544/layout=vectorized/causal=1/tree=8",
       "baseline_fp8_tree_d128_vectorized_blockscale_block_pages_tree", ElementType::fp8, 8},
      {"batch_prefill/h=1:1/sq=1/sk=1/page=512", "baseline_bf16_d128_linear", ElementType::bf16, 0},
      {"batch_prefill/h=1:1/sq=1/sk=1/kv=fp8/quant=tensor", "baseline_bf16_fp8_d128_linear",
       ElementType::bf16, 0},
      {"batch_prefill/h=1:1/sq=1/sk=1/d=64/q=fp16/kv=fp8/o=fp16/quant=page/layout=vectorized/page=64",
       "baseline_fp16_fp8_d64_vectorized_blockscale", ElementType::fp16, 8},
      {"batch_prefill/h=1:1/sq=1/sk=1/kv=fp8/quant=page",
       "baseline_bf16_fp8_d128_linear_blockscale_small_pages", ElementType::bf16, 8},
  }));
  const Problem problem = parse_case(text);
  const baseline::BaselinePlan plan(problem, workload::make_tensors(problem), {});
  CHECK(plan.variant() == variant);
  CHECK(plan.probability_rounding().type == type);
  CHECK(plan.probability_rounding().shift == shift);
  CHECK(plan.probability_rounding().weighted == (problem.quantisation == Quantisation::page));
}

TEST_CASE("a restricted run gives the rows of its tiles the bits of the whole run", "[slow]") {
  const Problem problem =
      parse_case("batch_prefill/h=16:2/sq=70,0,90/sk=300,7,129/d=128/q=fp8/kv=fp8/quant=page/causal=1/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const auto& baseline = find_implementation("baseline");
  const std::vector<QueryRow> rows = {{0, 0}, {0, 33}, {2, 89}};
  harness::CaseRun whole(baseline, problem, tensors), restricted(baseline, problem, tensors);
  const auto launches = restricted.plan().workgroups_for(rows);
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].workgroups.size() == 6); // three tiles of 16 queries, two KV heads
  CHECK(whole.run({}, rows).rows == restricted.run({}, rows, true).rows);
}

TEST_CASE("LINEAR, VECTORIZED, HND, K and V apart and in one pool give the same data the same bits",
          "[slow]") {
  // Keys enter the sums in the same order: the layout decides nothing but where they are read.
  for (const char* const element : {"", "/q=fp8/kv=fp8/quant=tensor", "/q=fp8/kv=fp8/quant=page",
                                    "/kv=fp8/quant=tensor", "/kv=fp8/quant=page"}) {
    const std::string text = std::string("batch_prefill/h=8:2/sq=20,64,1/sk=300,64,90/d=128") + element;
    CAPTURE(text);
    std::vector<harness::RowOutputs> outputs;
    for (const char* const pool : {"", "/layout=vectorized", "/layout=hnd", "/interleaved=1",
                                   "/layout=vectorized/interleaved=1", "/layout=hnd/interleaved=1"}) {
      const Problem problem = parse_case(text + pool + "/causal=1/lse=1");
      const Tensors tensors = workload::make_tensors(problem);
      harness::CaseRun run(find_implementation("baseline"), problem, tensors);
      outputs.push_back(run.run({}, harness::all_rows(problem)).rows);
    }
    for (const harness::RowOutputs& other : outputs) CHECK(other == outputs[0]);
  }
}
