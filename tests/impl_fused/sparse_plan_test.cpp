// What fused and its variants say of a sparse_prefill: support, kernels, workgroups, what they refuse.
#include "harness/device/device_case.hpp"
#include "impl_fused/sparse/sparse_plan.hpp"
#include "interface/case_string.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using Catch::Contains;
using fused::sparse::SparsePlan, fused::sparse::hardware_scales, fused::sparse::fp8_values;

namespace {

harness::CaseRun planned(const char* implementation, const std::string& text) {
  const Problem problem = parse_case(text);
  return harness::CaseRun(find_implementation(implementation), problem, workload::make_tensors(problem));
}

const std::string rest = "/n=3/pool=40/chunk=9/scale=0.05/kv=fp8";

} // namespace

TEST_CASE("sparse: a workgroup has as few heads as hold the problem's, up to the variant's most") {
  const auto [implementation, heads, variant] = GENERATE(table<const char*, int, std::string>({
      {"fused", 16, "fused_sparse/sparse_split_16"},
      {"fused", 32, "fused_sparse/sparse_split_32"},
      {"fused", 48, "fused_sparse/sparse_split_64"},
      {"fused", 128, "fused_sparse/sparse_split_64"},
      {"fused_software", 128, "fused_sparse_software/sparse_split_32"},
      {"fused_fp8_pv", 128, "fused_sparse_fp8_pv/sparse_split_32"},
  }));
  CHECK(planned(implementation, "sparse_prefill/h=" + std::to_string(heads) + rest).plan().variant() ==
        variant);
}

TEST_CASE("sparse: the variants take nothing but sparse_prefill") {
  const std::string name = GENERATE("fused_software", "fused_fp8_pv");
  const Support support =
      find_implementation(name).supports(parse_case("batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8"));
  CHECK(support.why_not == "operator batch_prefill: only sparse_prefill");
}

TEST_CASE("sparse: P is rounded to bf16, or to fp8 with the shift") {
  CHECK(planned("fused", "sparse_prefill/h=16" + rest).plan().probability_rounding().type ==
        ElementType::bf16);
  const auto fp8 = planned("fused_fp8_pv", "sparse_prefill/h=16" + rest).plan().probability_rounding();
  CHECK(fp8.type == ElementType::fp8);
  CHECK(fp8.shift == 8);
}

TEST_CASE("sparse: long lists come first, and a token has a workgroup for every 64 heads") {
  const auto run =
      planned("fused", "sparse_prefill/h=80/n=3/pool=40/chunk=9/prefix=3,20,0/extend=0/scale=1/kv=fp8");
  const auto launches = run.plan().workgroups_for({{0, 0}, {0, 1}});
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].workgroups == std::vector<uint32_t>{1, 0, 3 + 1, 3 + 0});
  CHECK(run.plan().workspace_bytes() == 3 * sizeof(int32_t));
}

TEST_CASE("sparse: fused_fp8_pv refuses scales that its units do not hold, by name") {
  const Problem problem =
      parse_case("sparse_prefill/h=16/n=1/pool=4/chunk=4/prefix=4/extend=0/scale=1/kv=fp8");
  Tensors tensors = workload::make_tensors(problem);
  sparse_tensors(tensors).pool.scale.as<float>()[2] = 0x1p61f;
  CHECK_NOTHROW(SparsePlan(hardware_scales, problem, tensors, {}));
  CHECK_THROWS_WITH(SparsePlan(fp8_values, problem, tensors, {}),
                    Contains("pool") && Contains("2^61") && Contains("fused_fp8_pv takes scales"));
}
