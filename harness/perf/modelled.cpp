#include "harness/perf/modelled.hpp"

#include "emulator/rates/rates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fmha950::harness {

namespace {

void add_to(Named& sums, const std::string& name, double value) {
  const auto known = std::ranges::find(sums, name, &std::pair<std::string, double>::first);
  if (known == sums.end())
    sums.emplace_back(name, value);
  else
    known->second += value;
}

// Sums of the runs by name.
Named sums(const nlohmann::ordered_json& runs, const char* field) {
  Named shares;
  for (const auto& run : runs)
    for (const auto& [name, value] : run.at(field).items()) add_to(shares, name, value.get<double>());
  return shares;
}

double cu_clocks(const nlohmann::ordered_json& runs) {
  double clocks = 0;
  for (const auto& run : runs) clocks += run.at("clocks").get<double>() * run.at("cus").get<double>();
  return clocks;
}

// Shares of the runs' clocks.
Named busy_of(const nlohmann::ordered_json& runs) {
  const double clocks = cu_clocks(runs);
  Named busy = sums(runs, "busy");
  for (auto& [unit, share] : busy)
    share /= clocks * (unit == "matrix" || unit == "valu" ? timing::simds_per_cu : 1);
  for (auto& [port, share] : sums(runs, "ports")) busy.emplace_back(port, share / clocks);
  return busy;
}

// The launch's shares, moved by the factors by which those of its longest workgroup move under an assumption: the longest
// is busier than the others where they differ, so its own shares would have another clock under any assumption.
Named moved_as(const Named& there, const Named& longest, Named shares) {
  for (auto& [name, share] : shares) {
    const auto value_in = [&](const Named& values) {
      const auto found = std::ranges::find(values, name, &Named::value_type::first);
      return found == values.end() ? 0 : found->second;
    };
    if (const double before = value_in(longest); before > 0)
      share = std::min(1.0, share * value_in(there) / before);
  }
  return shares;
}

Named matrix_of(const nlohmann::ordered_json& runs) {
  Named matrix = sums(runs, "matrix");
  for (auto& [format, share] : matrix) share /= cu_clocks(runs) * timing::simds_per_cu;
  return matrix;
}

} // namespace

ModelledLaunch modelled_launch_of(const nlohmann::ordered_json& line) {
  const auto& runs = line.at("runs");
  ModelledLaunch launch;
  launch.kernel = line.at("kernel");
  launch.workgroups = line.at("grid");
  launch.sampled = line.at("samples").size();
  launch.resident = line.at("resident");
  launch.clocks = line.at("gpu_clocks");
  launch.occupied = line.at("occupied");
  if (const auto& error = line.at("sampling_error"); !error.is_null())
    launch.sampling_error = error.get<double>();
  double workgroups = 0;
  for (const auto& run : runs) workgroups += run.at("workgroups").get<double>();
  launch.lds_instructions = line.at("lds").at("instructions");
  launch.lds_conflicts = line.at("lds").at("conflicts");
  launch.busy = busy_of(runs);
  launch.matrix = matrix_of(runs);
  for (const auto& other : line.value("also", nlohmann::ordered_json::array())) {
    const nlohmann::ordered_json longest = {line.at("longest")}, there = {other.at("run")};
    launch.assumed.push_back({.words = other.at("assume"),
                              .slower = cu_clocks(there) / cu_clocks(longest),
                              .busy = moved_as(busy_of(there), busy_of(longest), launch.busy),
                              .matrix = moved_as(matrix_of(there), matrix_of(longest), launch.matrix)});
  }
  launch.spent = sums(runs, "spent");
  double lives = 0;
  for (const auto& [reason, spent] : launch.spent) lives += spent;
  for (auto& [reason, spent] : launch.spent) spent /= lives;
  launch.bytes = sums(runs, "bytes");
  for (auto& [level, bytes] : launch.bytes) bytes *= static_cast<double>(launch.workgroups) / workgroups;
  return launch;
}

void Modelled::add(Modelled other) {
  flops += other.flops;
  tile_flops += other.tile_flops;
  matrix_peak = other.matrix_peak;
  std::ranges::move(other.launches, std::back_inserter(launches));
}

bool Modelled::converts() const { return std::ranges::any_of(launches, &ModelledLaunch::converts); }

Modelled Modelled::without_conversions() const {
  Modelled others = *this;
  std::erase_if(others.launches, [](const ModelledLaunch& launch) { return launch.converts; });
  return others;
}

double Modelled::clocks() const {
  double sum = 0;
  for (const ModelledLaunch& launch : launches) sum += launch.clocks;
  return sum;
}

double Modelled::clocks_per_tile() const { return clocks() * compute_units / (tile_flops / flops_per_tile); }

std::optional<double> Modelled::sampling_error() const {
  double sum = 0;
  for (const ModelledLaunch& launch : launches) {
    if (!launch.sampling_error) return {};
    sum += launch.clocks * *launch.sampling_error;
  }
  return sum / clocks();
}

Named Modelled::bytes() const {
  Named total;
  for (const ModelledLaunch& launch : launches)
    for (const auto& [level, bytes] : launch.bytes) add_to(total, level, bytes);
  return total;
}

const ModelledLaunch& Modelled::longest() const {
  return *std::ranges::max_element(launches, {}, &ModelledLaunch::clocks);
}

Modelled modelled_of(std::string_view lines, double matrix_peak) {
  Modelled modelled{.launches = {}, .matrix_peak = matrix_peak};
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);)
    modelled.launches.push_back(modelled_launch_of(nlohmann::ordered_json::parse(line)));
  return modelled;
}

std::string largest(Named shares, size_t count) {
  std::ranges::sort(shares, std::greater{}, &std::pair<std::string, double>::second);
  std::string text;
  for (size_t i = 0; i < std::min(count, shares.size()) && shares[i].second >= 0.01; ++i)
    text += fmt::format("{}{} {:.0f} %", i ? ", " : "", shares[i].first, 100 * shares[i].second);
  return text;
}

Named waits(const ModelledLaunch& launch) {
  Named waits = launch.spent;
  std::erase_if(waits, [](const auto& wait) { return wait.first == "issue"; });
  return waits;
}

namespace {

double value_of(const Named& named, std::string_view name) {
  const auto found = std::ranges::find(named, name, &std::pair<std::string, double>::first);
  return found == named.end() ? 0 : found->second;
}

} // namespace

BusyShares busy_shares_of(const ModelledLaunch& launch) {
  const auto share = [&](const Named& named, std::string_view name) {
    return launch.occupied * value_of(named, name);
  };
  const auto rate = [&](std::string_view level) { return value_of(launch.bytes, level) / launch.clocks; };
  return {.matrix_bf16 = share(launch.matrix, "bf16"),
          .matrix_fp8 = share(launch.matrix, "fp8"),
          .matrix_f8f6f4 = share(launch.matrix, "f8f6f4"),
          .valu = share(launch.busy, "valu"),
          .lds = share(launch.busy, "lds"),
          .l2 = rate("l2"),
          .mall = rate("mall"),
          .hbm = rate("hbm")};
}

ModelledLaunch under(const Assumed& assumed, ModelledLaunch launch) {
  launch.clocks *= assumed.slower;
  launch.busy = assumed.busy;
  launch.matrix = assumed.matrix;
  return launch;
}

} // namespace fmha950::harness
