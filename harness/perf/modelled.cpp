#include "harness/perf/modelled.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fmha950::harness {

namespace {

using Shares = std::vector<std::pair<std::string, double>>;

constexpr double simds = 4;

// Sums of the runs by name.
Shares sums(const nlohmann::ordered_json& runs, const char* group) {
  Shares shares;
  for (const auto& run : runs)
    for (const auto& [name, value] : run.at(group).items()) {
      const auto known = std::ranges::find(shares, name, &std::pair<std::string, double>::first);
      if (known == shares.end())
        shares.emplace_back(name, value.get<double>());
      else
        known->second += value.get<double>();
    }
  return shares;
}

ModelledLaunch launch_of(const nlohmann::ordered_json& line) {
  const auto& runs = line.at("runs");
  ModelledLaunch launch;
  launch.kernel = line.at("kernel");
  launch.workgroups = line.at("grid");
  launch.sampled = line.at("samples").size();
  launch.resident = line.at("resident");
  launch.clocks = line.at("gpu_clocks");
  launch.sampling_error = line.at("sampling_error");
  double clocks = 0, workgroups = 0;
  for (const auto& run : runs) {
    clocks += run.at("clocks").get<double>() * run.at("cus").get<double>();
    workgroups += run.at("workgroups").get<double>();
  }
  launch.busy = sums(runs, "busy");
  for (auto& [unit, busy] : launch.busy) busy /= clocks * (unit == "matrix" || unit == "valu" ? simds : 1);
  launch.spent = sums(runs, "spent");
  double lives = 0;
  for (const auto& [reason, spent] : launch.spent) lives += spent;
  for (auto& [reason, spent] : launch.spent) spent /= lives;
  launch.bytes = sums(runs, "bytes");
  for (auto& [level, bytes] : launch.bytes) bytes *= static_cast<double>(launch.workgroups) / workgroups;
  return launch;
}

} // namespace

void Modelled::add(Modelled other) {
  flops += other.flops;
  std::ranges::move(other.launches, std::back_inserter(launches));
}

double Modelled::clocks() const {
  double sum = 0;
  for (const ModelledLaunch& launch : launches) sum += launch.clocks;
  return sum;
}

double Modelled::seconds(double hertz) const {
  return clocks() / hertz + dispatch_seconds * static_cast<double>(launches.size());
}

double Modelled::clocks_per_tile() const { return clocks() * compute_units / (flops / tile_flops); }

double Modelled::sampling_error() const {
  double sum = 0;
  for (const ModelledLaunch& launch : launches) sum += launch.clocks * launch.sampling_error;
  return sum / clocks();
}

const ModelledLaunch& Modelled::longest() const {
  return *std::ranges::max_element(launches, {}, &ModelledLaunch::clocks);
}

Modelled modelled_of(std::string_view lines, double flops) {
  Modelled modelled{.flops = flops, .launches = {}};
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);)
    modelled.launches.push_back(launch_of(nlohmann::ordered_json::parse(line)));
  return modelled;
}

nlohmann::ordered_json to_json(const Modelled& modelled) {
  const auto object = [](const Shares& shares) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : shares) json[name] = value;
    return json;
  };
  nlohmann::ordered_json json;
  json["flops"] = modelled.flops;
  json["clocks"] = modelled.clocks();
  json["clocks_per_tile"] = modelled.clocks_per_tile();
  json["tflops_nominal"] = modelled.teraflops(nominal_hertz);
  json["tflops_effective"] = modelled.teraflops(effective_hertz);
  json["seconds_effective"] = modelled.seconds(effective_hertz);
  json["sampling_error"] = modelled.sampling_error();
  json["launches"] = nlohmann::ordered_json::array();
  for (const ModelledLaunch& launch : modelled.launches)
    json["launches"].push_back({{"kernel", launch.kernel},
                                {"workgroups", launch.workgroups},
                                {"sampled", launch.sampled},
                                {"resident", launch.resident},
                                {"clocks", launch.clocks},
                                {"sampling_error", launch.sampling_error},
                                {"busy", object(launch.busy)},
                                {"spent", object(launch.spent)},
                                {"bytes", object(launch.bytes)}});
  return json;
}

std::string largest_waits(const ModelledLaunch& launch, size_t count) {
  Shares waits = launch.spent;
  std::erase_if(waits, [](const auto& wait) { return wait.first == "issue"; });
  std::ranges::sort(waits, std::greater{}, &std::pair<std::string, double>::second);
  std::string text;
  for (size_t i = 0; i < std::min(count, waits.size()); ++i)
    text += fmt::format("{}{} {:.0f} %", i ? ", " : "", waits[i].first, 100 * waits[i].second);
  return text;
}

std::pair<std::string, double> bound_of(const ModelledLaunch& launch) {
  return *std::ranges::max_element(launch.busy, {}, &std::pair<std::string, double>::second);
}

} // namespace fmha950::harness
