// What prepass says of a plan of sparse_prefill, and the workgroups that tokens need.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;

namespace {

harness::CaseRun planned(const std::string& text) {
  const Problem problem = parse_case(text);
  return harness::CaseRun(find_implementation("prepass"), problem, workload::make_tensors(problem));
}

constexpr size_t row_bytes = 1024;

} // namespace

TEST_CASE("sparse: results name both kernels, or bf16 where nothing is dequantised") {
  const std::string rest = "/n=3/pool=40/chunk=9/scale=0.05/";
  CHECK(planned("sparse_prefill/h=16" + rest + "kv=bf16").plan().variant() == "bf16/sparse_attention_16");
  CHECK(planned("sparse_prefill/h=32" + rest + "kv=fp8").plan().variant() ==
        "dequantise_split/sparse_attention_32");
  CHECK(planned("sparse_prefill/h=48" + rest + "kv=fp8/format=packed").plan().variant() ==
        "dequantise_packed/sparse_attention_64");
  CHECK(planned("sparse_prefill/h=144" + rest + "kv=bf16").plan().variant() == "bf16/sparse_attention_128");
}

TEST_CASE("sparse: scratch holds Q and listed rows, once each, bf16 needs neither scratch nor a search") {
  // Two tokens that list all 40 rows, and one row each of a chunk of 100.
  const std::string text = "sparse_prefill/h=16/n=2/pool=40/chunk=100/prefix=40/extend=1/scale=0.05/kv=";
  const auto run = planned(text + "fp8");
  const size_t bytes = run.plan().workspace_bytes(), queries = 2 * 16 * row_bytes;
  const size_t lists = 2 * sizeof(int32_t); // of the chunk, in slots; the pool's are those that were given
  const size_t one = queries + 41 * row_bytes + lists + sizeof(int32_t); // both tokens list the same row
  const size_t two = queries + 42 * row_bytes + lists + 2 * sizeof(int32_t);
  CHECK((bytes == one || bytes == two));
  CHECK(run.plan().planning_milliseconds().has_value());
  const auto bf16 = planned(text + "bf16");
  CHECK(bf16.plan().workspace_bytes() == 0);
  CHECK_FALSE(bf16.plan().planning_milliseconds().has_value());
}

TEST_CASE("sparse: a token needs its workgroups of attention, of Q and of the rows that it lists") {
  const auto run = planned("sparse_prefill/h=144/n=5/pool=4000/chunk=40/prefix=8/extend=0/scale=0.05/kv=fp8");
  const auto launches = run.plan().workgroups_for({{0, 3}});
  REQUIRE(launches.size() == 2);
  const auto& rows = launches[0].workgroups; // 16 rows each, four waves of four: those of Q first
  const auto of_queries =
      std::ranges::count_if(rows, [](uint32_t workgroup) { return workgroup < 5 * 144 / 16; });
  CHECK(of_queries == 144 / 16);
  CHECK(rows.front() == 3 * 144 / 16);
  CHECK(rows.size() - of_queries >= 1); // of the pool: at most eight rows in at most eight
  CHECK(rows.size() - of_queries <= 8);
  CHECK(launches[1].workgroups == std::vector<uint32_t>{3, 5 + 3}); // 128 heads, and 16
}

TEST_CASE("sparse: a restricted run gives its tokens the bits of the whole run") {
  const std::string text = GENERATE(as<std::string>(), "sparse_prefill/h=16/n=6/pool=300/chunk=50/kv=fp8",
                                    "sparse_prefill/h=144/n=6/pool=300/chunk=50/kv=fp8/format=packed");
  const Problem problem = parse_case(text + "/lists=empty/scale=0.05/sinklogit=1/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const std::vector<QueryRow> rows = {{0, 1}, {0, 4}, {0, 5}};
  const auto& prepass = find_implementation("prepass");
  harness::CaseRun whole(prepass, problem, tensors), restricted(prepass, problem, tensors);
  CHECK(restricted.run({}, rows, true).rows == whole.run({}, rows).rows);
}
