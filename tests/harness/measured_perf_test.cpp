// `fmha950 perf` on a GPU, which here is measured_hip.cpp: every figure follows from its clock.
#include "program.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

namespace {

const std::string text = "batch_prefill/h=8:1/sq=32/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=16";
const std::string on_gpu = "FMHA950_MEASURED_HIP=" FMHA950_DEVICE " FMHA950_HIP_LIBRARY=" FMHA950_MEASURED;
constexpr double flops = 4.0 * 32 * 1024 * 128 * 8;

Ran perf(const std::string& arguments, const std::string& environment = "") {
  return run_fmha950("perf " + text + " --min-time 0.02 " + arguments, on_gpu + " " + environment);
}

} // namespace

TEST_CASE("perf on a GPU: time is measured by events, with warm and with cold caches") {
  const Ran ran = perf("--json --impl baseline");
  REQUIRE(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 1);
  const auto record = nlohmann::json::parse(ran.out[0]);
  CHECK(record["outcome"] == "passed");
  CHECK(record["modelled"].is_null());
  CHECK(record["environment"]["embedded"] == false);
  CHECK_THAT(record["reproduce"].get<std::string>(), Catch::Contains("--min-time 0.02"));
  const auto &measured = record["measured"], &warm = measured["warm"], &cold = measured["cold"];
  CHECK(measured["flops"] == flops);
  CHECK(measured["nominal_hertz"] == 2.4e9);
  CHECK(warm["seconds"].get<double>() == Approx(1e-3));
  // Each of the samples found its caches overwritten.
  CHECK(cold["seconds"].get<double>() == Approx(1.5e-3));
  for (const auto& series : {warm, cold}) {
    CHECK(series["noise"].get<double>() < 1e-3);
    CHECK(series["stopped"] == "quiet");
    CHECK(series["samples"].get<int>() * series["seconds"].get<double>() == Approx(0.02).margin(0.0016));
    CHECK(series["runs_per_sample"] == 1);
    CHECK(series["throttled"] == 0);
    CHECK(series["hertz"].get<double>() == Approx(2.4e9).epsilon(1e-3));
    const double rate = flops / series["seconds"].get<double>();
    CHECK(series["tflops"].get<double>() == Approx(rate / 1e12));
    CHECK(series["of_matrix_peak"].get<double>() == Approx(rate / 5.033e15).epsilon(1e-3)); // FP8
  }
}

TEST_CASE("perf on a GPU: the table says that it is measured, and compares measured with measured") {
  const Ran ran = perf("--impl baseline,pipelined"); // of one launch and of two
  CHECK(ran.exit_code == 0);
  const std::string all = joined(ran.out);
  CHECK_THAT(all,
             Catch::Contains("measured by events on measured gfx950") &&
                 Catch::Contains("pipelined / baseline, measured speed, caches warm: geometric mean 0.500") &&
                 Catch::Contains("measured speed, caches cold") && !Catch::Contains("modelled"));
}

TEST_CASE("perf on a GPU: a throttled one gives no time") {
  const Ran ran = perf("--json --impl baseline --timeout 0.2", "FMHA950_MEASURED_HERTZ=1.1e9");
  REQUIRE(ran.out.size() == 1);
  const auto warm = nlohmann::json::parse(ran.out[0])["measured"]["warm"];
  CHECK(warm["seconds"].is_null());
  CHECK(warm["tflops"].is_null());
  CHECK(warm["samples"] == 0);
  CHECK(warm["throttled"] > 0);
  CHECK(warm["stopped"] == "timeout");
  const Ran taken = perf("--json --impl baseline --throttle 0.4", "FMHA950_MEASURED_HERTZ=1.1e9");
  REQUIRE(taken.out.size() == 1);
  CHECK(nlohmann::json::parse(taken.out[0])["measured"]["warm"]["hertz"].get<double>() ==
        Approx(1.1e9).epsilon(1e-3));
}

TEST_CASE("perf: options of the other device are refused, not ignored") {
  const Ran model = perf("--samples 3");
  CHECK(model.exit_code != 0);
  CHECK_THAT(joined(model.err),
             Catch::Contains("options = --samples 3: are of the embedded device's cycle model"));
  const Ran measure = run_fmha950("perf " + text + " --noise 0.1");
  CHECK(measure.exit_code != 0);
  CHECK_THAT(joined(measure.err), Catch::Contains("options = --noise 0.1: are of measurements on a GPU"));
  CHECK(perf("--throttle 1.5").exit_code != 0);
}
