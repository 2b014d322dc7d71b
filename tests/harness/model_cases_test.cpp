// `list --models`: cases with the shapes of published models.
#include "harness/cases/model_cases.hpp"
#include "interface/case_string.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;
using Catch::Contains;

namespace {

workload::ModelShape shape_of(const std::string& model) {
  const auto shapes = workload::load_model_shapes();
  const auto found = std::ranges::find(shapes, model, &workload::ModelShape::model);
  REQUIRE(found != shapes.end());
  return *found;
}

} // namespace

TEST_CASE("cases of a model have its heads, head_dim, window and sink logit") {
  const auto cases = harness::model_cases(shape_of("gpt-oss-20b (SWA layers)"));
  REQUIRE(cases.size() >= 3);
  for (const std::string& text : cases) {
    const Problem problem = parse_case(text);
    CHECK(problem.query_heads == 64);
    CHECK(problem.kv_heads == 8);
    CHECK(problem.head_dim == 64);
    CHECK(problem.sink_logit);
    REQUIRE(problem.window);
    CHECK(problem.window->left == 127);
  }
  CHECK(std::ranges::any_of(cases, [](const std::string& text) {
    const Problem problem = parse_case(text);
    return problem.query_type == ElementType::bf16 && problem.kv_type == ElementType::fp8;
  }));
}

TEST_CASE("sparse rows of 512 columns are cases of sparse_prefill") {
  for (const std::string& text : harness::model_cases(shape_of("DeepSeek-V4-Flash (sparse)")))
    CHECK_THAT(text, Contains("sparse_prefill/h=64/"));
  CHECK_THAT(harness::model_cases(shape_of("MiniMax-M3 (sparse layers)"))[0],
             Contains("batch_prefill/h=64:4/"));
}

TEST_CASE("the table of models says who takes a case, and why nobody does") {
  const std::string table = harness::model_case_table();
  CHECK_THAT(table, Contains("gpt-oss-20b (SWA layers)\n"));
  CHECK_THAT(table, Contains("d=64/kv=fp8/quant=tensor/causal=1/window=127:0/sinklogit=1/lse=1\n"
                             "    fake_a, fake_b\n"));
  CHECK_THAT(table, Contains("/d=512/causal=1/lse=1\n    no case: d = 512: must be"));
}
