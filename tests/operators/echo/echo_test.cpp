// An operator that is nothing but this folder: it compiles, runs on the embedded device, and is listed, judged, probed
// and audited as the others are.
#include "tests/harness/program.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include <algorithm>

namespace {

using Json = nlohmann::json;

constexpr const char* text = "echo/h=4:2/sq=3,0,2/sk=5,2,70/d=64";

bool any_has(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

Json record_of(const std::string& implementation, const std::string& rest = "") {
  const Ran ran =
      run_fmha950("accuracy '" + std::string(text) + "' --json --impl " + implementation + " " + rest);
  REQUIRE(ran.out.size() == 1);
  return Json::parse(ran.out.front());
}

} // namespace

TEST_CASE("a new operator is listed, with who supports it, by its canonical case string") {
  CHECK(any_has(run_fmha950("list").out, "copies V of a key"));
  const Ran ran = run_fmha950("list --why 'echo/seed=1/d=64/sk=5/h=4:2/sq=3/b=2'");
  CHECK(ran.exit_code == 0);
  CHECK(any_has(ran.out, "echo/h=4:2/b=2/sq=3/sk=5/d=64"));
  CHECK(any_has(ran.out, "supported"));
  CHECK(any_has(run_fmha950("list 'echo/h=4:2/sq=3/sk=5/page=16'").err, "is none of echo"));
  CHECK(any_has(run_fmha950("accuracy 'echo/h=4:3/sq=3/sk=5'").out,
                "query heads must be a multiple of KV heads"));
  CHECK(any_has(run_fmha950("list decode/h=1:1").err,
                "must be one of batch_prefill, append_prefill, sparse_prefill, merge, echo"));
}

TEST_CASE("a new operator passes all judges under every schedule, and its audit looks at every key") {
  const Json record = record_of("echo", "--schedules eager,lazy,random:1 --mfma fma,fdpa");
  CHECK(record["outcome"] == "passed");
  CHECK(record["case"] == text);
  CHECK(record["variations"].size() == 6);
  const Json& accuracy = record["accuracy"];
  INFO(accuracy.dump());
  CHECK(accuracy["kernel_error"]["max_abs"] == 0);
  CHECK(accuracy["audit"]["parts"] > 0);
  CHECK(accuracy["audit"]["failed"] == 0);
  CHECK(accuracy["audit"]["keys"] == 2 * (5 + 70)); // of both KV heads; request 1 has no query
}

TEST_CASE("the judges find a kernel of a new operator that takes another key") {
  const Json record = record_of("echo_next");
  CHECK(record["outcome"] == "inaccurate");
  const std::string reason = record["reason"];
  INFO(reason);
  CHECK(reason.find("row") != std::string::npos);
  CHECK(reason.find("the first hidden key behind each row's last") != std::string::npos);
}

TEST_CASE("a new operator brings its own probes, which the kernel passes and a wrong one fails") {
  CHECK(any_has(run_fmha950("probe --list-probes").out, "echo_first_keys/b=4"));
  const Ran right = run_fmha950("probe --impl echo");
  CHECK(right.exit_code == 0);
  CHECK(any_has(right.out, "2 passed, 0 failed"));
  CHECK(run_fmha950("probe --impl echo_next").exit_code != 0);
}

TEST_CASE("the tensors of a new operator go into a case folder and come back") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "saved";
  REQUIRE(run_fmha950("run '" + std::string(text) + "' --impl echo --save " + path).exit_code == 0);
  const Ran ran = run_fmha950("accuracy --load " + path + " --impl echo");
  CHECK(ran.exit_code == 0);
  CHECK(any_has(ran.out, "1 passed, 0 failed"));
}
