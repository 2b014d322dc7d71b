// What `./fmha950 new-variant` writes compiles, and is listed, judged, probed and modelled without another edit. Here
// it is called `sample` (CMakeLists.txt); the tests that it writes are part of this program.
#include "tests/harness/program.hpp"
#include "tests/harness/python.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace {

using Json = nlohmann::json;

const std::string small = "batch_prefill/h=4:2/sq=3,20/sk=130,70/d=128/page=16/causal=1/lse=1";

} // namespace

TEST_CASE("a new variant is listed and passes accuracy under every schedule") {
  CHECK(joined(run_fmha950("list").out).find("one wave a row, bf16") != std::string::npos);
  const Ran ran = run_fmha950("accuracy " + small +
                              " --impl sample --schedules eager,lazy,random:1 --threads 1,2 --json");
  CAPTURE(joined(ran.err));
  REQUIRE(ran.out.size() == 1);
  CHECK(Json::parse(ran.out[0])["outcome"] == "passed");
}

TEST_CASE("a new variant passes the probes of what it takes, without a hazard") {
  const Ran ran =
      run_fmha950("probe --impl sample --filter '/sglang/linear/page=16/quant=none$'", "FMHA950_CHECK=all");
  CAPTURE(joined(ran.out));
  CHECK(ran.exit_code == 0);
  REQUIRE_FALSE(ran.out.empty());
  CHECK(ran.out.back().find("0 failed") != std::string::npos);
  CHECK_FALSE(ran.out.back().starts_with("0 passed"));
}

TEST_CASE("a new variant is modelled") {
  const Ran ran = run_fmha950("perf " + small + " --impl sample --no-interval --json");
  REQUIRE(ran.out.size() == 1);
  CHECK(Json::parse(ran.out[0])["modelled"]["clocks"] > 1000);
}

TEST_CASE("new-variant writes nothing over what is there, nor under a bad name") {
  const TemporaryFolder folder;
  const std::string script = fmha950::source_path("templates/new_variant.py"),
                    root = " --root " + folder.path().string();
  const Finished first = python(script + " my_kernel" + root);
  CHECK(first.status == 0);
  CHECK(first.output.find("impl_my_kernel/my_kernel.cpp") != std::string::npos);
  CHECK(contents(folder.path() / "impl_my_kernel/my_kernel.cpp").find("class MyKernelPlan") !=
        std::string::npos);
  const Finished second = python(script + " my_kernel" + root);
  CHECK(second.status == 1);
  CHECK(second.output.find("exists, nothing was written") != std::string::npos);
  for (const std::string name : {"int", "all", "attention", "emulator", "machine", "hip"}) {
    const Finished refused = python(script + " " + name + root);
    CHECK(refused.status == 1);
    CHECK(refused.output.find("is taken, by the language, a folder or a namespace") != std::string::npos);
  }
  for (const std::string name : {"Upper", "../up", "two__lines", "1st", "''"}) {
    const Finished refused = python(script + " " + name + root);
    CHECK(refused.status == 1);
    CHECK(refused.output.find("must be small letters") != std::string::npos);
  }
}
