// Launches as data: they are what was written, and the committed ones are what the sources published.
#include "harness/perf/measured_launch.hpp"
#include "interface/error.hpp"
#include "tests/harness/program.hpp"
#include "tests/support/catch.hpp"
#include "workload/csv_table.hpp"
#include "workload/data_directory.hpp"

#include <fmt/format.h>
#include <fstream>
#include <map>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

std::vector<MeasuredLaunch> committed(const char* file) {
  return read_measured_launches(workload::data_file(std::string("calibration/") + file));
}

double less_dispatch(double flops, double tflops) { return flops / (1e12 * tflops) - dispatch_seconds; }

} // namespace

TEST_CASE("measured launches: what is written is read") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "runs.csv";
  const MeasuredLaunch launch{
      .series = "d64-gqa-full",
      .length = 4096,
      .seconds = 1.5e-3,
      .synchronised = true,
      .clocks = 2.75e6,
      .shares = {.matrix_bf16 = 0.5, .matrix_fp8 = 0.25, .matrix_f8f6f4 = 0.125, .valu = 0.75, .hbm = 100}};
  write_measured_launches({launch, launch}, file);
  const std::vector<MeasuredLaunch> read = read_measured_launches(file);
  REQUIRE(read.size() == 2);
  CHECK(read[1].series == launch.series);
  CHECK(read[1].length == launch.length);
  CHECK(read[1].seconds == launch.seconds);
  CHECK(read[1].synchronised);
  CHECK(read[1].clocks == launch.clocks);
  CHECK(read[1].shares.matrix_bf16 == 0.5);
  CHECK(read[1].shares.matrix_fp8 == 0.25);
  CHECK(read[1].shares.matrix_f8f6f4 == 0.125);
  CHECK(read[1].shares.valu == 0.75);
  CHECK(read[1].shares.lds == 0);
  CHECK(read[1].shares.hbm == 100);
  std::ofstream(file, std::ios::app) << ",x,1,,1e-3,1000,-0.5,0,0,0,0,0,0,0\n";
  CHECK_THROWS_WITH(read_measured_launches(file), Catch::Contains("runs.csv:4: matrix_bf16 = -0.5"));
  write_measured_launches({launch}, file);
  std::ofstream(file, std::ios::app) << ",x,1,quick,1e-3,1000,0,0,0,0,0,0,0,0\n";
  CHECK_THROWS_WITH(read_measured_launches(file),
                    Catch::Contains("runs.csv:3: protocol = quick: must be synchronised or empty"));
  CHECK_THROWS_AS(write_measured_launches({launch}, folder.path() / "none" / "runs.csv"), InvalidInput);
}

TEST_CASE("measured launches: those of data/calibration took what was published") {
  std::map<std::pair<std::string, int64_t>, double> published;
  const workload::CsvTable attention(workload::data_file("calibration/attention_forward.csv"));
  for (size_t row = 0; row < attention.rows(); ++row) {
    const bool causal = attention.text(row, "causal") == "yes";
    const int64_t keys = attention.integer(row, "seq_len", 1, 1 << 20);
    const std::string group = fmt::format("d{}-{}-{}", attention.text(row, "head_dim"),
                                          attention.text(row, "variant"), causal ? "causal" : "full");
    const double flops = (causal ? 2 : 4) * attention.positive(row, "batch") *
                         attention.positive(row, "q_heads") * attention.positive(row, "head_dim") *
                         static_cast<double>(keys) * static_cast<double>(keys);
    published[{group, keys}] = less_dispatch(flops, attention.positive(row, "tflops"));
  }
  const workload::CsvTable gemms(workload::data_file("calibration/gemm.csv"));
  for (size_t row = 0; row < gemms.rows(); ++row) {
    if (gemms.text(row, "use") == "other") continue;
    const double size = gemms.positive(row, "M");
    published[{"gemm-" + gemms.text(row, "dtype"), static_cast<int64_t>(size)}] =
        less_dispatch(2 * size * size * size, gemms.positive(row, "tflops"));
  }
  std::vector<MeasuredLaunch> launches = committed("attention_runs.csv");
  std::ranges::move(committed("gemm_runs.csv"), std::back_inserter(launches));
  // As the model is, each once; under assumptions those that the clock is fitted to.
  CHECK(std::ranges::count(launches, "", &MeasuredLaunch::assume) ==
        static_cast<ptrdiff_t>(published.size()));
  CHECK(published.size() == 40 + 10);
  for (const MeasuredLaunch& launch : launches) {
    CAPTURE(launch.series, launch.length);
    CHECK(launch.seconds == Approx(published.at({launch.series, launch.length})).epsilon(1e-5));
    CHECK(launch.synchronised == (launch.series != "gemm-fp8_e4m3")); // those have a C++ program of their own
    CHECK(launch.shares.matrix_bf16 + launch.shares.matrix_f8f6f4 <= 1);
    CHECK(launch.shares.valu <= 1);
    CHECK(launch.shares.lds <= 1);
  }
}
