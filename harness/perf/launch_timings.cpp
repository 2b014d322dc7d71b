#include "harness/perf/launch_timings.hpp"

#include "harness/perf/clock_law.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace fmha950::harness {

namespace {

LaunchTiming timing_of(const nlohmann::ordered_json& json) {
  LaunchTiming timing; // its peak is unknown: it depends on the format of the kernel's matrix instructions
  timing.modelled.launches.push_back(modelled_launch_of(json));
  timing.modelled.flops = json.at("matrix_flops");
  timing.number = json.at("launch");
  timing.stream = json.at("stream");
  const auto& shape = json.at("shape");
  timing.grid = shape.at("grid");
  timing.block = shape.at("block");
  timing.vgprs = shape.at("vgprs");
  timing.lds_bytes = shape.at("lds_bytes");
  timing.all_executed = json.at("executed") == "all";
  for (const auto& stall : json.value("stalls", nlohmann::ordered_json::array()))
    timing.stalls.push_back(
        {.source = stall.at("source"), .waits = stall.at("waits"), .share = stall.at("share")});
  return timing;
}

// Launches that share a row.
struct Row {
  std::vector<const LaunchTiming*> launches;
  double seconds = 0, low = 0, high = 0; // of all of them
  bool sampling_known = true;

  const LaunchTiming& last() const { return *launches.back(); }
  void add(const LaunchTiming& timing) {
    launches.push_back(&timing);
    const Range range = seconds_of(timing.modelled);
    seconds += range.best;
    low += range.low;
    high += range.high;
    sampling_known &= range.sampling_known;
  }
};

std::vector<Row> rows_of(const std::vector<LaunchTiming>& timings) {
  std::map<std::tuple<std::string, decltype(LaunchTiming::grid), decltype(LaunchTiming::block)>, Row>
      by_shape;
  for (const LaunchTiming& timing : timings)
    by_shape[{timing.launch().kernel, timing.grid, timing.block}].add(timing);
  std::vector<Row> rows;
  for (auto& [shape, row] : by_shape) rows.push_back(std::move(row));
  std::ranges::sort(rows, {}, [](const Row& row) { // those of equal time by name
    return std::pair(-row.seconds, row.last().launch().kernel);
  });
  return rows;
}

std::string extents(const std::array<uint64_t, 3>& of) { return fmt::format("{}", fmt::join(of, "x")); }

double bytes_at(const ModelledLaunch& launch, std::string_view level) {
  const auto found = std::ranges::find(launch.bytes, level, &Named::value_type::first);
  return found == launch.bytes.end() ? 0 : found->second;
}

void print_row(const Row& row, double total, std::FILE* file) {
  const LaunchTiming& last = row.last();
  const auto count = static_cast<double>(row.launches.size());
  const Range each{1e6 * row.seconds / count, 1e6 * row.low / count, 1e6 * row.high / count,
                   row.sampling_known};
  double clocks = 0, at_clock = 0, flops = 0, bytes = 0;
  for (const LaunchTiming* timing : row.launches) {
    clocks += timing->modelled.clocks();
    at_clock += timing->modelled.clocks() / hertz_of(timing->modelled);
    flops += timing->modelled.flops;
    bytes += bytes_at(timing->launch(), "hbm");
  }
  fmt::print(file, "{:>6.1f} % {:>8} {:>10.2f} {:>22} {:>6.0f} {:>8.1f} {:>10.3f}  {}, {} of {}{}\n",
             100 * row.seconds / total, row.launches.size(), each.best, ends_of(each, 2),
             clocks / at_clock / 1e6, flops / row.seconds / 1e12, bytes / count / 1e6, last.launch().kernel,
             extents(last.grid), extents(last.block), last.all_executed ? "" : ", sampled");
  const std::string waits_text = largest(waits(last.launch()), 3);
  fmt::print(file, "{:>19} waits: {}; {} of {} workgroups followed; {} VGPRs, {} bytes of LDS\n", "",
             waits_text.empty() ? "nothing above 1 %" : waits_text, last.launch().sampled,
             last.launch().workgroups, last.vgprs, last.lds_bytes);
  for (const LaunchTiming::Stall& stall : last.stalls)
    if (!stall.source.empty() && stall.share >= 0.05)
      fmt::print(file, "{:>19} {:.0f} % at {}{}\n", "", 100 * stall.share, stall.source,
                 stall.waits.empty() ? "" : fmt::format(" ({})", stall.waits));
}

} // namespace

LaunchTimings read_launch_timings(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InvalidInput("file", path, "must be a file of FMHA950_TIMING_REPORT, and is a folder");
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream)
    throw InvalidInput("file", path, "must be a file of FMHA950_TIMING_REPORT, and cannot be read");
  LaunchTimings timings;
  size_t begin = 0, number = 1;
  for (size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1, ++number) {
    try {
      const auto line = nlohmann::ordered_json::parse(text.substr(begin, end - begin));
      if (line.at("gpu_clocks").is_null())
        ++timings.untimed;
      else
        timings.timed.push_back(timing_of(line)), timings.timed.back().file = path;
    } catch (const nlohmann::json::exception& failure) {
      throw InvalidInput("file", fmt::format("{}:{}", path, number),
                         fmt::format("must be a line of FMHA950_TIMING_REPORT: {}", failure.what()));
    }
  }
  timings.cut = begin < text.size();
  return timings;
}

std::vector<LaunchTiming> read_launch_timings(const std::vector<std::string>& files) {
  std::vector<LaunchTiming> timings;
  for (const std::string& file : files) {
    LaunchTimings read = read_launch_timings(file);
    std::ranges::move(read.timed, std::back_inserter(timings));
    if (read.untimed > 0)
      fmt::print(stderr, "note: {}: {} launches have no time: nothing of chiplet 0 was followed\n", file,
                 read.untimed);
    if (read.cut) fmt::print(stderr, "note: {}: its last line is cut, and left out\n", file);
  }
  if (timings.empty())
    throw InvalidInput("files", files.front(), "must tell of a launch that was timed: there is none");
  return timings;
}

void print_launch_timings(const std::vector<LaunchTiming>& timings, std::FILE* file) {
  const std::vector<Row> rows = rows_of(timings);
  double total = 0;
  for (const Row& row : rows) total += row.seconds;
  fmt::print(file, "modelled: {} launches, {:.2f} us one after the other, a dispatch for each among them\n",
             timings.size(), 1e6 * total);
  fmt::print(file, "{:>8} {:>8} {:>10} {:>22} {:>6} {:>8} {:>10}  {}\n", "share", "launches", "us each",
             "interval", "MHz", "TFLOP/s", "MB of HBM", "kernel, grid of block");
  for (const Row& row : rows) print_row(row, total, file);
}

nlohmann::ordered_json to_json(const LaunchTiming& timing) {
  const ModelledLaunch& launch = timing.launch();
  const Range seconds = seconds_of(timing.modelled);
  const auto object = [](const Named& named) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [name, value] : named) json[name] = value;
    return json;
  };
  nlohmann::ordered_json json = {{"file", timing.file},
                                 {"kernel", launch.kernel},
                                 {"launch", timing.number},
                                 {"stream", timing.stream},
                                 {"grid", timing.grid},
                                 {"block", timing.block},
                                 {"vgprs", timing.vgprs},
                                 {"lds_bytes", timing.lds_bytes},
                                 {"executed", timing.all_executed ? "all" : "sampled"},
                                 {"workgroups", launch.workgroups},
                                 {"followed", launch.sampled},
                                 {"clocks", launch.clocks},
                                 {"clock_hertz", hertz_of(timing.modelled)},
                                 {"seconds", seconds.best},
                                 {"seconds_low", seconds.low},
                                 {"seconds_high", seconds.high},
                                 {"sampling_error", nullptr},
                                 {"matrix_flops", timing.modelled.flops},
                                 {"bytes", object(launch.bytes)},
                                 {"waits", object(waits(launch))},
                                 {"stalls", nlohmann::ordered_json::array()}};
  if (launch.sampling_error) json["sampling_error"] = *launch.sampling_error;
  for (const LaunchTiming::Stall& stall : timing.stalls)
    json["stalls"].push_back({{"source", stall.source}, {"share", stall.share}, {"waits", stall.waits}});
  return json;
}

} // namespace fmha950::harness
