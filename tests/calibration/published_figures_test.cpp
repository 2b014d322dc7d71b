// data/calibration: every figure is used for one thing.
#include "calibration/gemm.hpp"
#include "calibration/micro.hpp"
#include "workload/csv_table.hpp"
#include "workload/data_directory.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <map>

using namespace fmha950;
using namespace fmha950::calibration;
using workload::CsvTable;

namespace {

CsvTable table(const std::string& name) { return CsvTable(workload::data_file("calibration/" + name)); }

std::map<std::string, int> uses(const CsvTable& figures) {
  std::map<std::string, int> result;
  for (size_t row = 0; row < figures.rows(); ++row) ++result[figures.text(row, "use")];
  return result;
}

} // namespace

TEST_CASE("published figures: each is to fit, to check or other") {
  for (const char* name : {"gemm.csv", "pingpong_vs_interleave.csv", "grid_swizzle.csv",
                           "lds_conflict_counters.csv", "lds_phases.csv", "latencies.csv"}) {
    CAPTURE(name);
    const auto counts = uses(table(name));
    CHECK(!counts.empty());
    for (const auto& [use, count] : counts) CHECK((use == "fit" || use == "check" || use == "other"));
  }
}

TEST_CASE("published figures: GEMMs large enough to load the GPU fit, the others of the same kernels check") {
  const CsvTable figures = table("gemm.csv");
  const auto counts = uses(figures);
  CHECK(counts.at("fit") == 5);
  CHECK(counts.at("check") == 5);
  for (size_t row = 0; row < figures.rows(); ++row)
    if (figures.text(row, "use") != "other") {
      CHECK(figures.text(row, "device") == "MI355X");
      CHECK((figures.text(row, "library") == "HK" || figures.text(row, "library") == "HK_4wave"));
      const int64_t least = figures.text(row, "dtype") == "bf16" ? 4096 : 8192;
      CHECK((figures.text(row, "use") == "fit") == (figures.integer(row, "M", 1, 1 << 20) >= least));
    }
}

TEST_CASE("published figures: schedules of attention are shown only, and the kernels named exist") {
  const CsvTable schedules = table("pingpong_vs_interleave.csv");
  for (size_t row = 0; row < schedules.rows(); ++row) {
    const std::string& kernel = schedules.text(row, "kernel_here");
    // Those of the kernels that gemm.csv fits are repetitions of what is fitted.
    const bool fitted = kernel == "gemm_bf16_16_ping_pong" || kernel == "gemm_fp8_16_interleaved";
    const bool attention = schedules.text(row, "kernel").find("MHA") == 0;
    CHECK(schedules.text(row, "use") == (attention ? "other" : fitted ? "fit" : "check"));
    CHECK((kernel.empty() || std::ranges::count(gemm_kernels(), kernel, &GemmKernel::name) == 1));
  }
  const CsvTable latencies = table("latencies.csv");
  for (size_t row = 0; row < latencies.rows(); ++row)
    CHECK(std::ranges::count(micro_kernels(), latencies.text(row, "kernel"), &MicroKernel::name) == 1);
}
