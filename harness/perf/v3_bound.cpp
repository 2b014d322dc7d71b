#include "harness/perf/v3_bound.hpp"

#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"
#include "emulator/timing/assumed.hpp"
#include "harness/perf/calibration_gemms.hpp"

#include <sstream>

namespace fmha950::harness {

namespace {

constexpr int64_t fewest_keys = 1024, most_keys = 8192; // one workgroup on each of 24 and of 192 CUs
constexpr double tiles = (most_keys - fewest_keys) / 64.0;
constexpr int conversions = 32; // of a SIMD for 64 keys

class Slope { // clocks for 64 keys
 public:
  Slope(const workload::CsvTable& table, const std::string& quantisation) : table_(table) {
    for (size_t row = 0; row < table.rows(); ++row) {
      if (table.text(row, "kernel") != "V3" || table.text(row, "quant") != quantisation) continue;
      const int64_t keys = table.integer(row, "keys", 1, INT64_MAX);
      if (keys == fewest_keys) first_ = row;
      if (keys == most_keys) last_ = row;
    }
  }
  double operator()(const std::string& column) const {
    return (table_.positive(last_, column) - table_.positive(first_, column)) / tiles;
  }

 private:
  const workload::CsvTable& table_;
  size_t first_ = 0, last_ = 0;
};

double added(const workload::CsvTable& table, const Slope& slope, const std::string& word) {
  if (const std::string column = "gpu_clocks_" + word; table.has(column))
    return slope(column) - slope("gpu_clocks");
  const timing::Assumptions assumed = *timing::assumed(word), nothing;
  return conversions * (assumed.code_conversion_clocks - nothing.code_conversion_clocks) +
         (assumed.barrier_clocks - nothing.barrier_clocks);
}

} // namespace

double least_v3_clocks(std::string_view words) {
  const workload::CsvTable table = calibration_table("ck_v2_v3_in_the_model.csv");
  double most = 0;
  for (const char* quantisation : {"tensor", "block"}) {
    const Slope slope(table, quantisation);
    double clocks = slope("gpu_clocks");
    std::istringstream each{std::string(words)};
    for (std::string word; std::getline(each, word, '+');) clocks += added(table, slope, word);
    most = std::max(most, clocks);
  }
  return most;
}

} // namespace fmha950::harness
