// What `./fmha950 new-variant --from baseline` writes compiles, and is listed, judged, probed and modelled without another
// edit, and passes the tests that it writes. Its mutants are baseline's, which has them all compiled and killed.
#include "tests/harness/program.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace {

using Json = nlohmann::json;

struct Finished {
  int exit_code;
  std::string output;
};

Finished run(const std::string& command) {
  const TemporaryFolder folder;
  const std::string output = folder.path() / "output";
  const int status = std::system((command + " >" + output + " 2>&1").c_str());
  std::ifstream file(output);
  return {exit_code_of(status), joined(lines_of(file))};
}

struct Variant {
  std::string name, listed, cases, probes;
};

const std::vector<Variant> variants = {
    {"sample_copy", "batch_prefill, a copy of the full-featured fallback",
     "batch_prefill/h=8:2/sq=3,20/sk=130,70/causal=1/lse=1 "
     "batch_prefill/h=8:2/sq=3,20/sk=130,70/d=64/layout=vectorized/window=30:0/sink=9/lse=1 "
     "batch_prefill/h=8:2/sq=3,20/sk=130,70/d=256/q=fp8/kv=fp8/quant=page/page=64/cap=30/lse=1",
     "/sglang/(linear|vectorized)/page=16/quant=(none|page)$"},
    {"sample_append_copy", "append_prefill, a copy of the full-featured fallback",
     "append_prefill/h=4:2/sq=3,20/sk=130,70/causal=1/lse=1 "
     "append_prefill/h=4:2/sq=3,20/sk=130,70/d=64/q=fp16/page=1/calls=2/cap=30 "
     "append_prefill/h=4:2/sq=3,20/sk=130,70/page=64/table=vllm/sinklogit=1",
     "^append_.*/page=16/bf16/d=128$"},
};

} // namespace

TEST_CASE("a copy of baseline is listed, accurate, probed and modelled, and passes its own tests", "[slow]") {
  const Finished built = run(CMAKE " --build " BUILD " --target copies_of_baseline");
  CAPTURE(built.output);
  REQUIRE(built.exit_code == 0);
  const std::string listed = joined(run_fmha950("list").out);
  for (const Variant& variant : variants) {
    CAPTURE(variant.name);
    CHECK(listed.find(variant.listed) != std::string::npos);
    const Ran accuracy = run_fmha950("accuracy " + variant.cases + " --impl " + variant.name +
                                     " --schedules eager,lazy,random:1 --json");
    CHECK(accuracy.out.size() == 3);
    for (const std::string& line : accuracy.out) CHECK(Json::parse(line)["outcome"] == "passed");
    const Ran probed = run_fmha950("probe --impl " + variant.name + " --filter '" + variant.probes + "'",
                                   "FMHA950_CHECK=all");
    CHECK(probed.exit_code == 0);
    REQUIRE_FALSE(probed.out.empty());
    CHECK(probed.out.back().find("0 failed") != std::string::npos);
    CHECK_FALSE(probed.out.back().starts_with("0 passed"));
    const Ran modelled =
        run_fmha950("perf " + variant.cases + " --impl " + variant.name + " --no-interval --json");
    CHECK(modelled.out.size() == 3);
    for (const std::string& line : modelled.out) CHECK(Json::parse(line)["modelled"]["clocks"] > 1000);
  }
  const Finished tested = run(COPIED_TESTS R"( '~[slow] ~"*mutant*" ~"*missing wait*"')");
  CAPTURE(tested.output);
  CHECK(tested.exit_code == 0);
}
