#pragma once
// What both halves of the calibration need:
// published figures, and what the model says of the launch just made.

#include "interface/hip.hpp"
#include "workload/csv_table.hpp"
#include "workload/data_directory.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace fmha950::harness {

inline workload::CsvTable calibration_table(const std::string& file) {
  return workload::CsvTable(workload::data_file("calibration/" + file));
}

inline nlohmann::json timing_of_launch() {
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  return nlohmann::json::parse(hip::api().Timings());
}

} // namespace fmha950::harness
