#include "harness/perf/measured_launch.hpp"

#include "interface/error.hpp"
#include "workload/csv_table.hpp"

#include <fmt/format.h>
#include <fstream>

namespace fmha950::harness {

namespace {

constexpr const char* synchronised = "synchronised";

double not_negative(const workload::CsvTable& table, size_t row, const char* column) {
  return table.text(row, column) == "0" ? 0 : table.positive(row, column);
}

} // namespace

bool is_synchronised(const workload::CsvTable& table, size_t row) {
  const std::string& protocol = table.text(row, "protocol");
  if (!protocol.empty() && protocol != synchronised)
    throw InvalidInput(table.place(row, "protocol"), protocol,
                       fmt::format("must be {} or empty", synchronised));
  return !protocol.empty();
}

std::vector<MeasuredLaunch> read_measured_launches(const std::filesystem::path& file) {
  const workload::CsvTable table(file);
  std::vector<MeasuredLaunch> launches;
  for (size_t row = 0; row < table.rows(); ++row) {
    MeasuredLaunch& launch = launches.emplace_back();
    launch.series = table.text(row, "group");
    launch.assume = table.text(row, "assume");
    launch.length = table.integer(row, "length", 0, INT64_MAX);
    launch.synchronised = is_synchronised(table, row);
    launch.seconds = table.positive(row, "seconds");
    launch.clocks = table.positive(row, "clocks");
    for (const NamedShare& column : named_shares)
      launch.shares.*column.share = not_negative(table, row, column.name);
  }
  return launches;
}

void write_measured_launches(const std::vector<MeasuredLaunch>& launches, const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "assume,group,length,protocol,seconds,clocks";
  for (const NamedShare& column : named_shares) out << ',' << column.name;
  out << '\n';
  for (const MeasuredLaunch& launch : launches) {
    out << fmt::format("{},{},{},{},{:.6g},{:.0f}", launch.assume, launch.series, launch.length,
                       launch.synchronised ? synchronised : "", launch.seconds, launch.clocks);
    for (const NamedShare& column : named_shares) out << fmt::format(",{:.4g}", launch.shares.*column.share);
    out << '\n';
  }
  if (!out.flush()) throw InvalidInput("--runs", file.string(), "must be a file that can be written");
}

} // namespace fmha950::harness
