// What `./fmha950 new-variant` writes compiles, and is listed, judged, probed and modelled without another edit: here a
// minimal variant of each operator (CMakeLists.txt). The tests that it writes are part of this program.
#include "tests/harness/program.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace {

using Json = nlohmann::json;

struct Variant {
  std::string name, listed, small_case, probes;
};

const std::vector<Variant> variants = {
    {"sample_batch", "batch_prefill, one wave a row, bf16",
     "batch_prefill/h=4:2/sq=3,20/sk=130,70/d=128/page=16/causal=1/lse=1",
     "/sglang/linear/page=16/quant=none$"},
    {"sample_append", "append_prefill, one wave a row, bf16",
     "append_prefill/h=4:2/sq=3,20/sk=130,70/page=1/causal=1/lse=1/calls=2",
     "^append_(?!many).*/page=16/bf16/d=128$"},
    {"sample_sparse", "sparse_prefill, one wave a row, bf16",
     "sparse_prefill/h=16/n=4/pool=300/chunk=90/lists=empty/scale=0.0442/lse=1", "^sparse_.*/bf16/h=16$"},
};

} // namespace

TEST_CASE("a new variant is listed and passes accuracy under every schedule") {
  const Variant variant = GENERATE(from_range(variants));
  CAPTURE(variant.name);
  CHECK(joined(run_fmha950("list").out).find(variant.listed) != std::string::npos);
  const Ran ran = run_fmha950("accuracy " + variant.small_case + " --impl " + variant.name +
                              " --schedules eager,lazy,random:1 --threads 1,2 --json");
  CAPTURE(joined(ran.err));
  REQUIRE(ran.out.size() == 1);
  CHECK(Json::parse(ran.out[0])["outcome"] == "passed");
}

TEST_CASE("a new variant passes the probes of what it takes, without a hazard") {
  const Variant variant = GENERATE(from_range(variants));
  const Ran ran =
      run_fmha950("probe --impl " + variant.name + " --filter '" + variant.probes + "'", "FMHA950_CHECK=all");
  CAPTURE(variant.name, joined(ran.out));
  CHECK(ran.exit_code == 0);
  REQUIRE_FALSE(ran.out.empty());
  CHECK(ran.out.back().find("0 failed") != std::string::npos);
  CHECK_FALSE(ran.out.back().starts_with("0 passed"));
}

TEST_CASE("a new variant is modelled") {
  const Variant variant = GENERATE(from_range(variants));
  const Ran ran =
      run_fmha950("perf " + variant.small_case + " --impl " + variant.name + " --no-interval --json");
  CAPTURE(variant.name, joined(ran.err));
  REQUIRE(ran.out.size() == 1);
  CHECK(Json::parse(ran.out[0])["modelled"]["clocks"] > 1000);
}
