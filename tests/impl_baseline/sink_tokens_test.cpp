// Sink tokens beside a sliding window: what lies between them is not read, and where there is nothing between
// them nothing changes.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/perf/model_run.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;

namespace {

const Implementation& baseline() { return find_implementation("baseline"); }

// Of the first touch of each line: what comes from beyond the chiplet's L2.
double bytes_read(const std::string& text) {
  const Problem problem = parse_case(text);
  const harness::Modelled modelled = harness::model_case(baseline(), problem, workload::make_tensors(problem),
                                                         {.samples = 65, .assumptions = {}});
  REQUIRE(modelled.launches.size() == 1);
  REQUIRE(modelled.launches[0].sampled == modelled.launches[0].workgroups);
  double bytes = 0;
  for (const auto& [level, served] : modelled.launches[0].bytes)
    if (level == "mall" || level == "hbm") bytes += served;
  return bytes;
}

std::vector<harness::RowOutputs> bits(const std::vector<std::string>& cases) {
  std::vector<harness::RowOutputs> outputs;
  for (const std::string& text : cases) {
    const Problem problem = parse_case(text);
    const Tensors tensors = workload::make_tensors(problem);
    outputs.push_back(
        harness::CaseRun(baseline(), problem, tensors).run({}, harness::all_rows(problem)).rows);
  }
  return outputs;
}

} // namespace

TEST_CASE("the tiles between sinks and window are not read", "[slow]") {
  const std::string element =
      GENERATE(as<std::string>(), "", "/layout=vectorized/page=64", "/q=fp8/kv=fp8/quant=page/page=64");
  CAPTURE(element);
  const auto bytes = [&](int keys, int sinks) {
    return bytes_read("batch_prefill/h=1:1/sq=64/sk=" + std::to_string(keys) + "/d=128" + element +
                      "/causal=1/window=63:0/sink=" + std::to_string(sinks));
  };
  // 64 queries with a window of 64 keys: two tiles, or three with one or 64 sinks, whatever lies between.
  const double window = bytes(1024, 0), one = bytes(1024, 1), tile = bytes(1024, 64), two = bytes(1024, 65);
  const double keys_and_values = 2 * 64 * 128 * (element.find("fp8") == std::string::npos ? 2 : 1);
  const double few_lines = 8 * 128; // of page table and descales
  CHECK(one == tile);
  CHECK(tile - window >= keys_and_values);
  CHECK(tile - window < keys_and_values + few_lines);
  CHECK(two - tile >= keys_and_values);
  CHECK(two - tile < keys_and_values + few_lines);
  // Seven thousand keys more in the gap, of which a single tile would show.
  CHECK(std::abs(bytes(8192, 0) - window) < few_lines);
  CHECK(std::abs(bytes(8192, 64) - tile) < few_lines);
  CHECK(std::abs(bytes(8192, 65) - two) < few_lines);
}

TEST_CASE("sinks change no bit where no window hides them, and a window none where all keys are sinks",
          "[slow]") {
  const std::string element = GENERATE(as<std::string>(), "", "/q=fp8/kv=fp8/quant=page",
                                       "/q=fp8/kv=fp8/quant=tensor/layout=vectorized/page=128");
  CAPTURE(element);
  const std::string problem = "batch_prefill/h=8:2/sq=70,40/sk=70,500/d=128" + element;
  const auto causal = bits({problem + "/causal=1/lse=1", problem + "/causal=1/sink=100/lse=1",
                            problem + "/causal=1/window=30:0/sink=500/lse=1",
                            problem + "/causal=1/window=30:0/sink=2147483647/lse=1",
                            problem + "/causal=1/window=30:0/sink=70/lse=1"});
  for (const size_t same : {1, 2, 3}) CHECK(causal[same] == causal[0]);
  CHECK_FALSE(causal[4] == causal[0]);
}
