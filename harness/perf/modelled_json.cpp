// What the cycle model says of a case, as records hold it.
#include "harness/perf/modelled.hpp"

#include "harness/perf/clock_law.hpp"
#include "harness/perf/modelled_time.hpp"

#include <nlohmann/json.hpp>

namespace fmha950::harness {

namespace {

using Json = nlohmann::ordered_json;

Json object(const Named& shares) {
  Json json;
  for (const auto& [name, value] : shares) json[name] = value;
  return json;
}

Json number(std::optional<double> value) { return value ? Json(*value) : Json(); }

void add(Json& json, const std::string& name, const Range& range) {
  json[name] = range.best;
  json[name + "_low"] = range.low;
  json[name + "_high"] = range.high;
}

} // namespace

Json to_json(const Modelled& modelled) {
  Json json;
  json["flops"] = modelled.flops;
  json["tile_flops"] = modelled.tile_flops;
  json["clocks"] = modelled.clocks();
  json["clocks_per_tile"] = modelled.clocks_per_tile();
  json["matrix_fraction"] = modelled.matrix_fraction();
  json["clock_hertz"] = hertz_of(modelled);
  add(json, "tflops", teraflops_of(modelled));
  add(json, "seconds", seconds_of(modelled));
  json["seconds_by"] = object(influences_on(modelled));
  json["energy"] = object(energy_stack_of(modelled));
  json["sampling_error"] = number(modelled.sampling_error());
  json["launches"] = Json::array();
  for (const ModelledLaunch& launch : modelled.launches)
    json["launches"].push_back({{"kernel", launch.kernel},
                                {"workgroups", launch.workgroups},
                                {"sampled", launch.sampled},
                                {"resident", launch.resident},
                                {"clocks", launch.clocks},
                                {"clock_hertz", clock_law.hertz(busy_shares_of(launch))},
                                {"occupied", launch.occupied},
                                {"sampling_error", number(launch.sampling_error)},
                                {"busy", object(launch.busy)},
                                {"matrix", object(launch.matrix)},
                                {"spent", object(launch.spent)},
                                {"bytes", object(launch.bytes)},
                                {"lds_instructions", launch.lds_instructions},
                                {"lds_conflicts", launch.lds_conflicts},
                                {"converts", launch.converts}});
  return json;
}

} // namespace fmha950::harness
