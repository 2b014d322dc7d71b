// `fmha950 perf`, and the modelled forms of `fmha950 trace`.
#include "program.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace {

const std::string text = "batch_prefill/h=8:1/sq=32/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=16";
const std::string longer = "batch_prefill/h=8:1/sq=32/sk=4096/d=128/q=fp8/kv=fp8/quant=tensor/page=16";

std::vector<nlohmann::json> records(const std::string& arguments, const std::string& environment = "") {
  const Ran ran = run_fmha950("perf --json " + arguments, environment);
  std::vector<nlohmann::json> found;
  for (const std::string& line : ran.out) found.push_back(nlohmann::json::parse(line));
  return found;
}

double clocks(const nlohmann::json& record) { return record.at("modelled").at("clocks"); }

} // namespace

TEST_CASE("perf: a case that passed accuracy has modelled figures that belong together") {
  const auto found = records(text + " --impl baseline --samples 2");
  REQUIRE(found.size() == 1);
  CHECK(found[0]["outcome"] == "passed");
  const auto& modelled = found[0]["modelled"];
  CHECK(modelled["flops"] == 4.0 * 32 * 1024 * 128 * 8);
  REQUIRE(modelled["launches"].size() == 1);
  const auto& launch = modelled["launches"][0];
  CHECK(launch["workgroups"] == launch["sampled"].get<int>()); // there are no more than two
  double spent = 0;
  for (const auto& [reason, share] : launch["spent"].items()) spent += share.get<double>();
  CHECK(spent == Approx(1));
  for (const auto& [unit, share] : launch["busy"].items()) {
    CHECK(share >= 0);
    CHECK(share <= 1);
  }
  // The clock is the law's for what the launch does, and time, speed and their ends follow from it.
  const double seconds = modelled["seconds"], tflops = modelled["tflops"], hertz = modelled["clock_hertz"];
  CHECK(hertz == launch["clock_hertz"].get<double>());
  CHECK(hertz <= 2.4e9);
  CHECK(seconds == Approx(clocks(found[0]) / hertz + 1.6e-6));
  CHECK(tflops == Approx(modelled["flops"].get<double>() / seconds / 1e12));
  CHECK(modelled["seconds_low"].get<double>() <= seconds);
  CHECK(modelled["seconds_high"].get<double>() >= seconds);
  CHECK(modelled["tflops_high"].get<double>() * modelled["seconds_low"].get<double>() ==
        Approx(tflops * seconds));
  CHECK(modelled["tflops_low"].get<double>() * modelled["seconds_high"].get<double>() ==
        Approx(tflops * seconds));
  // Nothing was measured.
  CHECK(found[0]["gpu_ms"].is_null());
}

// As the tests of their layouts say of each read (tests/support/lds_banks.hpp).
TEST_CASE("perf: the attention kernels' LDS counters show no bank conflict") {
  int kernels = 0;
  for (const auto& record : records(text + " --impl baseline,fused,pipelined,pipelined_x16,prepass"))
    for (const auto& launch : record.at("modelled").at("launches")) {
      CAPTURE(launch["kernel"]);
      CHECK(launch["lds_conflicts"] == 0);
      kernels += launch["lds_instructions"] > 0;
    }
  CHECK(kernels == 5);
}

TEST_CASE("perf: four times the keys take some four times the clocks of a long loop") {
  const auto one = records(text + " --impl baseline --samples 1");
  const auto four = records(longer + " --impl baseline --samples 1");
  CHECK(clocks(four.at(0)) / clocks(one.at(0)) > 3);
  CHECK(clocks(four.at(0)) / clocks(one.at(0)) < 4.2);
}

TEST_CASE("perf: what sources disagree about is a choice, and an unknown one is refused") {
  const double as_is = clocks(records(text + " --impl pipelined --samples 1").at(0));
  CHECK(clocks(records(text + " --impl pipelined --samples 1 --assume exp16").at(0)) > as_is);
  CHECK(clocks(records("--impl pipelined --samples 1 --assume exp16,lds128 " + text).at(0)) > as_is);
  // Words that are no assumptions are refused before any case runs, though the device's option has some.
  for (const char* wrong : {"exp17", "chiplet", "off", "exp16,timeline"}) {
    CAPTURE(wrong);
    const Ran ran = run_fmha950("perf " + text + " --impl pipelined --assume " + wrong);
    CHECK(ran.exit_code != 0);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err.at(0), Catch::Contains("cold") && Catch::Contains("mfma_slot"));
  }
}

TEST_CASE("perf: replays under what sources leave open widen the ends, and change nothing else") {
  const auto modelled = [](const std::string& options) {
    return records(text + " --impl prepass --samples 3 " + options).at(0).at("modelled");
  };
  auto with = modelled(""), without = modelled("--no-interval");
  // prepass reads much LDS: at half the rate of reads it is slower.
  CHECK(with["seconds_high"].get<double>() > 1.02 * without["seconds_high"].get<double>());
  CHECK(with["seconds_low"].get<double>() <= without["seconds_low"].get<double>());
  for (const char* end : {"seconds_low", "seconds_high", "tflops_low", "tflops_high", "seconds_by"}) {
    with.erase(end);
    without.erase(end);
  }
  CHECK(with == without);
}

TEST_CASE("perf: a wrong FMHA950_TIMING is named, with what would be right") {
  for (const char* wrong :
       {"bogus", "samples,off", "off,cold", "samples,also=", "samples,also=cold+bogus", "along=w"}) {
    CAPTURE(wrong);
    const Ran ran = run_fmha950("device", std::string("FMHA950_TIMING=") + wrong);
    CHECK(ran.exit_code != 0);
    CHECK_THAT(ran.err.back(), Catch::Contains("FMHA950_TIMING = ") && Catch::Contains("must be off alone"));
  }
}

// One workgroup of attention reads what many of the launches before it wrote, and waits and rescales by what
// it reads.
TEST_CASE("perf: a launch reads what all workgroups of those before it wrote, however few are sampled") {
  const auto attention = [](const std::string& samples) {
    return records(text + " --impl prepass --samples " + samples).at(0).at("modelled").at("launches").at(2);
  };
  const auto one = attention("1"), many = attention("64");
  CHECK(one.at("kernel") == "attention_forward");
  CHECK(one.at("workgroups") == 1);
  CHECK(one == many);
}

TEST_CASE("perf: what few workgroups say of a launch is off by no more than twice the error that it states",
          "[unsanitized]") {
  const std::string causal =
      "batch_prefill/h=6:1/sq=1024/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=1/causal=1";
  for (const char* implementation : {"baseline", "pipelined", "prepass"}) {
    CAPTURE(implementation);
    const auto modelled = [&](const std::string& samples) {
      return records(causal + " --impl " + implementation + " --samples " + samples).at(0).at("modelled");
    };
    const auto few = modelled("3"), all = modelled("100000");
    CHECK(modelled("2").at("sampling_error").is_null());
    CHECK(all.at("sampling_error") == 0.0);
    const double off = std::abs(all.at("clocks").get<double>() / few.at("clocks").get<double>() - 1);
    CHECK(few.at("sampling_error") > 0.0);
    CHECK(off <= 2 * few.at("sampling_error").get<double>() + 1e-6);
  }
}

TEST_CASE("perf: append_prefill writes its tiles to LDS, and reads them, without a bank conflict") {
  const std::string rest = GENERATE(as<std::string>(), "d=64/page=16", "d=128/page=16", "d=64/page=1/q=fp16",
                                    "d=128/page=1/q=fp16");
  const auto run = records("append_prefill/h=8:2/sq=128/sk=512/causal=1/" + rest + " --impl baseline");
  const auto launch = run.at(0)["modelled"]["launches"].at(0);
  CHECK(launch["lds_instructions"] > 500);
  CHECK(launch["lds_conflicts"] == 0);
}

// Slow, so that sanitizers leave it out: they put allocations where they like, and caches find lines by their addresses.
TEST_CASE("perf: the same figures on every run and any number of threads", "[slow]") {
  const std::string arguments = GENERATE(
      as<std::string>(), "batch_prefill/h=8:1/sq=256/sk=512/kv=fp8/q=fp8/quant=tensor --impl prepass",
      "batch_prefill/h=2:1/sq=256/sk=2048/kv=fp8/q=fp8/quant=tensor --impl pipelined"); // keys split
  const auto one = records(arguments, "FMHA950_THREADS=1").at(0)["modelled"];
  REQUIRE(one["launches"].back()["workgroups"] >= 8); // for threads to take in any order
  for (const char* threads : {"1", "2", "5"}) {
    CAPTURE(threads);
    CHECK(records(arguments, std::string("FMHA950_THREADS=") + threads).at(0)["modelled"] == one);
  }
}

TEST_CASE("perf: the table shows what others measured apart, and ratios of pairs at the end") {
  const std::string row =
      "batch_prefill/h=6:1/sq=1024/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=1/causal=1";
  const Ran ran = run_fmha950("perf " + row + " --impl baseline,pipelined --samples 1");
  CHECK(ran.exit_code == 0);
  const std::string all = std::accumulate(ran.out.begin(), ran.out.end(), std::string());
  CHECK_THAT(all, Catch::Contains("not measured") && Catch::Contains("seed V3") &&
                      Catch::Contains("measured elsewhere, MI355X: 47.7 TFLOP/s") &&
                      Catch::Contains("pipelined / baseline, modelled speed: geometric mean"));
  // One workgroup of many says nothing of the sampling error, and the ends that lack it are marked.
  CHECK_THAT(all, Catch::Contains(" ? ") && Catch::Contains(" ?: undecided)") &&
                      Catch::Contains("to know the sampling error; these ends"));
  CHECK_THAT(all, !Catch::Contains(": ahead)"));
}

TEST_CASE("compare: names before the cases are implementations, and --perf compares speed") {
  const Ran accuracy = run_fmha950("compare pipelined baseline " + text);
  CHECK(accuracy.exit_code == 0);
  CHECK_THAT(accuracy.out.back(), Catch::Equals("2 passed, 0 failed, 0 skipped"));
  const Ran speed = run_fmha950("compare pipelined baseline --perf --samples 1 " + text);
  CHECK(speed.exit_code == 0);
  const std::string all = std::accumulate(speed.out.begin(), speed.out.end(), std::string());
  CHECK_THAT(all, Catch::Contains("baseline / pipelined, modelled speed: geometric mean"));
}

TEST_CASE("compare, perf, device: options that would be ignored are refused, and say what would be right") {
  const auto refused = [](const std::string& arguments, const std::string& reason) {
    CAPTURE(arguments);
    const Ran ran = run_fmha950(arguments);
    CHECK(ran.exit_code != 0);
    CHECK(ran.out.empty());
    std::string all;
    for (const std::string& line : ran.err) all += line + "\n";
    CHECK_THAT(all, Catch::Contains(reason));
  };
  refused("compare baseline " + text + " --samples 3", "add --perf");
  refused("compare baseline " + text + " --assume exp16", "add --perf");
  refused("compare pipelined --impl baseline " + text, "--impl = baseline");
  refused("compare pipelined baselin " + text,
          "compare = baselin: must be a case string or an implementation");
  refused("device --calibration 3000 --coverage", "excludes");
  refused("device --coverage --loops x.co", "excludes");
  for (const char* samples : {"0", "-3", "x"}) refused("perf " + text + " --samples " + samples, "--samples");
  refused("perf " + text + " --samples 0", "not in range 1 to ");
}

TEST_CASE("trace: source lines hold all that the waves did, and the matrix instructions among it") {
  const Ran ran = run_fmha950("trace " + text + " --impl baseline --source");
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out.at(0), Catch::StartsWith("modelled:"));
  const uint64_t spent = std::stoull(ran.out.at(0).substr(ran.out.at(0).find("spent ") + 6));
  uint64_t clocks = 0;
  bool multiplies = false;
  for (const std::string& line : ran.out) {
    constexpr size_t clocks_column = 8, source_column = 68; // instructions stand further in
    if (line.find(" % ") > clocks_column || line.size() <= source_column) continue;
    multiplies |= line.find("v_mfma_") != std::string::npos;
    if (line[source_column] != ' ') clocks += std::stoull(line.substr(clocks_column));
  }
  CHECK(multiplies);
  CHECK(clocks == spent);
}

TEST_CASE("device --calibration: figures that were not fitted are within their limit", "[slow]") {
  const Ran ran = run_fmha950("device --calibration");
  REQUIRE(ran.exit_code == 0);
  const std::string last = ran.out.back();
  CHECK_THAT(last, Catch::StartsWith("mean absolute error of GEMM sizes from 4096 on"));
  CHECK(std::stod(last.substr(last.find(':') + 1)) <= 15);
  CHECK_THAT(last, Catch::EndsWith("of 1 rows")); // fp8 of 4096: the others set the clock
  int lds = 0;
  for (const std::string& line : ran.out)
    if (line.starts_with("micro_lds_") && line.find("check") != line.npos) {
      ++lds;
      CHECK_THAT(line, Catch::Contains(" 0.0 %"));
    }
  CHECK(lds == 11); // conflict counters, exact
  // L2 sees in which order workgroups come, and what it has not takes energy (docs/timing.md#workgroup-order-and-l2).
  struct Order {
    int hits;       // percent of L2's bytes
    double largest; // error, in percent
  };
  const std::map<std::string, Order> expected{{"row by row", {51, 1}},
                                              {"windows of 2 rows", {71, 1}},
                                              {"windows of 4 rows", {80, 1}},
                                              {"windows of 8 rows", {80, 0}},
                                              {"windows of 32 rows", {48, 16}}}; // hardware loses more there
  size_t orders = 0;
  double in_use = 0, fitted = 1;
  for (const std::string& line : ran.out) {
    for (const auto& [order, values] : expected)
      if (const size_t at = line.find(order + ", "); at != line.npos) {
        CAPTURE(line);
        CHECK(std::abs(std::stoi(line.substr(at + order.size() + 2)) - values.hits) <= 2);
        CHECK(std::abs(std::stod(line.substr(line.find(" %") - 6))) <= values.largest);
        ++orders;
      }
    std::sscanf(line.c_str(), "energy of a byte beyond L2, by two orders: %lf pJ at 1400 W; in use %lf pJ",
                &fitted, &in_use);
  }
  CHECK(orders == expected.size());
  CHECK(fitted == Approx(in_use).margin(1.5)); // where buffers lie moves it
}

TEST_CASE("device --calibration: without the GEMMs that judge, it says so") {
  const Ran ran = run_fmha950("device --calibration 1024");
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out.back(), Catch::EndsWith("none of these sizes was run"));
  for (const std::string& line : ran.out)
    CHECK_THAT(line, !Catch::Contains("schedule") && !Catch::Contains("nan"));
}
