// The JSON file of a measurement.
#include "harness/silicon/silicon_check.hpp"

#include "calibration/differential.hpp"
#include "calibration/energy.hpp"
#include "calibration/wait_windows.hpp"
#include "emulator/timing/assumed.hpp"
#include "harness/output/fields.hpp"
#include "harness/output/whole_file.hpp"
#include "harness/silicon/question.hpp"
#include "interface/regular_file.hpp"
#include "numerics/median.hpp"
#include "workload/json_field.hpp"

#include <algorithm>
#include <fstream>
#include <map>

namespace fmha950::harness {
namespace {

using Json = nlohmann::ordered_json;
using workload::JsonField;

constexpr const char* kind = "fmha950 silicon-check";
constexpr uint64_t any = UINT64_MAX >> 1;
constexpr double no_limit = 1e300, most_hertz = 1e10;

// Units are busy for all of the clocks at most; one clock more or less at either end of a loop is forgiven.
double most_of(const NamedShare& share) { return share.bytes ? 1e6 : 1.02; }

Json json_of(const MeasuredQuestion& question) {
  Json runs = Json::array();
  for (const LoopRun& run : question.runs)
    runs.push_back({{"iterations", run.iterations}, {"clocks", run.clocks}, {"ticks", run.ticks}});
  Json json = {{"name", question.name}, {"steps", question.steps}, {"runs", runs}};
  if (const auto clocks = clocks_of_step(question))
    json["clocks_of_step"] = *clocks; // for people: what is read are the runs
  else
    json["note"] = "not visible here";
  return json;
}
MeasuredQuestion question_of(const JsonField& field) {
  MeasuredQuestion question{.name = field.at("name").text(), .runs = {}};
  if (!find_question(question.name)) field.at("name").refuse("must be a question of this program");
  question.steps = static_cast<int>(field.at("steps").whole(1, 1 << 20));
  for (const JsonField& run : field.at("runs").items())
    question.runs.push_back({static_cast<uint32_t>(run.at("iterations").whole(1, UINT32_MAX)),
                             run.at("clocks").whole(1, any), run.at("ticks").whole(0, any)});
  if (!question.runs.empty() && !clocks_of_step(question))
    field.at("runs").refuse("must have runs of two numbers of iterations, the more the longer");
  return question;
}

Json json_of(const MeasuredEnergy& energy) {
  Json json = {{"kernel", energy.kernel},
               {"memory", energy.memory},
               {"iterations", energy.iterations},
               {"settled", energy.settled},
               {"hertz", energy.hertz},
               {"chiplet_hertz", energy.chiplet_hertz},
               {"seconds", energy.launch.seconds},
               {"clocks", energy.launch.clocks}};
  for (const NamedShare& share : named_shares) json[share.name] = energy.launch.shares.*share.share;
  return json;
}
MeasuredEnergy energy_of(const JsonField& field) {
  MeasuredEnergy energy{.kernel = field.at("kernel").text(),
                        .memory = field.at("memory").text(),
                        .iterations = static_cast<uint32_t>(field.at("iterations").whole(1, UINT32_MAX)),
                        .settled = field.at("settled").yes(),
                        .hertz = {},
                        .chiplet_hertz = {},
                        .launch = {}};
  if (std::ranges::find(calibration::energy_kernels(), energy.kernel, &calibration::EnergyKernel::name) ==
      calibration::energy_kernels().end())
    field.at("kernel").refuse("must be an energy kernel of this program");
  for (const JsonField& hertz : field.at("hertz").items())
    energy.hertz.push_back(hertz.number(1, most_hertz));
  for (const JsonField& hertz : field.at("chiplet_hertz").items())
    energy.chiplet_hertz.push_back(hertz.number(1, most_hertz));
  energy.launch.series = energy.memory.empty() ? energy.kernel : energy.kernel + "-" + energy.memory;
  energy.launch.seconds = field.at("seconds").positive();
  energy.launch.clocks = field.at("clocks").positive();
  if (energy.launch.clocks / energy.launch.seconds > most_hertz)
    field.at("clocks").refuse(
        fmt::format("must be at most {:g} in a second, of {:g} seconds", most_hertz, energy.launch.seconds));
  for (const NamedShare& share : named_shares)
    energy.launch.shares.*share.share = field.at(share.name).number(0, most_of(share));
  return energy;
}

Json json_of(const MeasuredWindow& window) {
  return {{"name", window.name},
          {"required", window.required},
          {"is_right", window.is_right},
          {"needed", window.needed()}};
}
MeasuredWindow window_of(const JsonField& field) {
  MeasuredWindow window{.name = field.at("name").text(),
                        .required = static_cast<int>(field.at("required").whole(0, 64)),
                        .is_right = {}};
  if (std::ranges::find(calibration::wait_windows(), window.name, &calibration::WaitWindow::name) ==
      calibration::wait_windows().end())
    field.at("name").refuse("must be a window of this program");
  for (const JsonField& right : field.at("is_right").items()) window.is_right.push_back(right.yes());
  if (window.is_right.empty() || !window.is_right.back())
    field.at("is_right").refuse("must end in true: it is compared with the result of most states");
  return window;
}

const calibration::DifferentialInstruction* find_instruction(std::string_view name) {
  const auto all = calibration::differential_instructions();
  const auto found = std::ranges::find(all, name, &calibration::DifferentialInstruction::name);
  return found == all.end() ? nullptr : &*found;
}
Json json_of(const MeasuredDifferential& differential) {
  return {{"name", differential.name},
          {"digest", differential.digest},
          {"as_on_embedded", differential.is_as_here()}}; // for people
}
MeasuredDifferential differential_of(const JsonField& field) {
  MeasuredDifferential differential{field.at("name").text(),
                                    static_cast<uint32_t>(field.at("digest").whole(0, UINT32_MAX))};
  if (!find_instruction(differential.name)) field.at("name").refuse("must be an instruction of this program");
  return differential;
}

Json json_of(const MeasuredProbe& probe) {
  return {{"name", probe.name},
          {"verdict", probe.verdict},
          {"error", number(probe.error)},
          {"limit", probe.limit},
          {"reason", probe.reason}};
}
MeasuredProbe probe_of(const JsonField& field) {
  return {field.at("name").text(), field.at("verdict").text(), field.at("reason").text(), 0,
          field.at("limit").number(0, no_limit)};
}

template <class Row> Json json_of(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(json_of(row));
  return json;
}
template <class Of> auto rows_of(const JsonField& field, Of of) {
  std::vector<decltype(of(field))> rows;
  for (const JsonField& item : field.items()) rows.push_back(of(item));
  return rows;
}

Json json_of(const SiliconCheck& check) {
  const Environment& environment = check.environment;
  return {{"kind", kind},
          {"schema", silicon_schema},
          {"date", check.date},
          {"version", environment.version},
          {"compiler", environment.compiler},
          {"device", environment.device},
          {"library", environment.library},
          {"driver", check.driver},
          {"embedded", environment.embedded},
          {"compute_units", check.compute_units},
          {"assume", check.assume},
          {"questions", json_of(check.questions)},
          {"energy", json_of(check.energy)},
          {"windows", json_of(check.windows)},
          {"differential", json_of(check.differential)},
          {"probes", json_of(check.probes)}};
}

} // namespace

LoopRun run_of(uint32_t iterations, std::span<const calibration::LoopStamp> stamps) {
  using Stamp = calibration::LoopStamp;
  return {iterations,
          std::ranges::max(stamps, {}, &Stamp::end_clocks).end_clocks -
              std::ranges::min(stamps, {}, &Stamp::begin_clocks).begin_clocks,
          std::ranges::max(stamps, {}, &Stamp::end_ticks).end_ticks -
              std::ranges::min(stamps, {}, &Stamp::begin_ticks).begin_ticks};
}

std::optional<double> clocks_of_step(const MeasuredQuestion& question) {
  std::map<uint32_t, std::vector<double>> clocks;
  for (const LoopRun& run : question.runs) clocks[run.iterations].push_back(static_cast<double>(run.clocks));
  if (clocks.size() < 2) return std::nullopt;
  const auto& [few, of_few] = *clocks.begin();
  const auto& [many, of_many] = *clocks.rbegin();
  const double more = numerics::median(of_many) - numerics::median(of_few);
  if (more <= 0) return std::nullopt;
  return more / (static_cast<double>(many - few) * question.steps);
}

int MeasuredWindow::needed() const {
  const auto wrong = std::ranges::find(is_right.rbegin(), is_right.rend(), false);
  return static_cast<int>(is_right.rend() - wrong);
}

bool MeasuredDifferential::is_as_here() const {
  const calibration::DifferentialInstruction& here = *find_instruction(name);
  return digest == here.digest || !rounding().empty();
}

std::string MeasuredDifferential::rounding() const {
  const calibration::DifferentialInstruction& here = *find_instruction(name);
  if (here.to_nearest == 0) return "";
  return digest == here.digest ? "zero" : digest == here.to_nearest ? "nearest" : "";
}

void write_silicon_check(const SiliconCheck& check, const std::filesystem::path& file) {
  write_whole("--output", file, json_of(check).dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
}

SiliconCheck read_silicon_check(const std::filesystem::path& file) {
  require_regular_file("--measured", file);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InvalidInput("--measured", file.string(), "must be a file that can be read");
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object())
    throw InvalidInput("--measured", file.string(),
                       "must be a file of `fmha950 silicon-check`: it is no JSON object");
  const JsonField field(json, file.filename().string());
  if (field.at("kind").text() != kind) field.at("kind").refuse(fmt::format("must be \"{}\"", kind));
  field.at("schema").whole(silicon_schema, silicon_schema);
  SiliconCheck check{.environment = {.version = field.at("version").text(),
                                     .commit = {},
                                     .committed = {},
                                     .kernels = {},
                                     .build = {},
                                     .compiler = field.at("compiler").text(),
                                     .host_cpu = {},
                                     .device = field.at("device").text(),
                                     .library = field.at("library").text(),
                                     .embedded = field.at("embedded").yes()},
                     .driver = static_cast<int>(field.at("driver").whole(0, INT32_MAX)),
                     .compute_units = static_cast<int>(field.at("compute_units").whole(1, 1 << 16)),
                     .date = field.at("date").text(),
                     .assume = field.at("assume").text(),
                     .questions = rows_of(field.at("questions"), question_of),
                     .energy = rows_of(field.at("energy"), energy_of),
                     .windows = rows_of(field.at("windows"), window_of),
                     .differential = rows_of(field.at("differential"), differential_of),
                     .probes = rows_of(field.at("probes"), probe_of)};
  if (!check.assume.empty() && !timing::assumed(check.assume))
    field.at("assume").refuse("must be \"\" or words joined by +, of " + timing::assumption_list());
  return check;
}

} // namespace fmha950::harness
