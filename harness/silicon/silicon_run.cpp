// The run of `silicon-check`.
#include "harness/silicon/silicon_check.hpp"

#include "calibration/differential.hpp"
#include "calibration/wait_windows.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/instruction/instruction_probe.hpp"
#include "harness/output/progress.hpp"
#include "harness/silicon/energy.hpp"
#include "harness/silicon/question.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/ranges.h>

namespace fmha950::harness {
namespace {

// What orders the device for one part of the check: the embedded device has schedules, a GPU does not.
class ScheduleInForce {
 public:
  explicit ScheduleInForce(const std::string& schedule) {
    if (hip::runtime().embedded) set_option("schedule", schedule);
  }
  ~ScheduleInForce() {
    if (hip::runtime().embedded) hip::api().SetOption("schedule", "eager");
  }
  ScheduleInForce(const ScheduleInForce&) = delete;
};

int attribute(int id) {
  int value = 0;
  hip::check(hip::api().DeviceGetAttribute(&value, id, hip::runtime().ordinal), "hipDeviceGetAttribute");
  return value;
}

SiliconCheck header(const std::vector<std::string>& assume) {
  constexpr int multiprocessor_count = 63; // hipDeviceAttribute_t
  SiliconCheck check{.environment = environment(true),
                     .compute_units = attribute(multiprocessor_count),
                     .date = fmt::format(
                         "{:%Y-%m-%dT%H:%M:%SZ}",
                         fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()))),
                     .assume = fmt::format("{}", fmt::join(assume, "+")),
                     .questions = {},
                     .energy = {},
                     .windows = {},
                     .differential = {},
                     .probes = {}};
  hip::check(hip::api().DriverGetVersion(&check.driver), "hipDriverGetVersion");
  return check;
}

// A result may be right by chance once.
MeasuredWindow try_window(const calibration::WaitWindow& window) {
  constexpr int tries = 8;
  const calibration::WindowRun run(window);
  const std::vector<uint32_t> right = run.lanes(calibration::window_states);
  MeasuredWindow measured{.name = std::string(window.name), .required = window.required, .is_right = {}};
  for (uint32_t states = 0; states <= calibration::window_states; ++states) {
    bool is_right = true;
    for (int i = 0; i < tries; ++i) is_right = is_right && run.lanes(states) == right;
    measured.is_right.push_back(is_right);
  }
  return measured;
}

MeasuredProbe judged(const instruction::InstructionProbe& probe) {
  const instruction::InstructionResult result = instruction::judge(probe);
  MeasuredProbe measured{.name = probe.name,
                         .verdict = std::string(to_string(result.outcome.kind())),
                         .reason = result.outcome.reason(),
                         .limit = probe.limit};
  for (const instruction::Measurement& measurement : result.measurements)
    measured.error = std::max(measured.error, measurement.error);
  return measured;
}

} // namespace

SiliconCheck run_silicon_check(const std::vector<std::string>& assume) {
  SiliconCheck check = header(assume);
  if (!assume.empty() && !check.environment.embedded)
    throw InvalidInput("--assume", check.assume,
                       "is of a rehearsal: " + check.environment.device + " has its own constants");
  const std::vector<EnergyItem> items = energy_items();
  const std::vector<instruction::InstructionProbe> probes = instruction::all_instruction_probes();
  Progress progress(questions().size() + items.size() + calibration::wait_windows().size() +
                    calibration::differential_instructions().size() + probes.size());
  const auto step = [&progress](std::string_view what, const auto& run) {
    progress.start(std::string(what));
    run();
    progress.done();
  };
  {
    const ScheduleInForce timed(assume.empty() ? "timed" : "timed:" + check.assume);
    for (const Question& question : questions())
      step(question.name, [&] { check.questions.push_back(ask(question)); });
    for (const EnergyItem& item : items)
      step(item.kernel, [&] { check.energy.push_back(run_energy(item, check.compute_units)); });
  }
  for (const calibration::WaitWindow& window : calibration::wait_windows())
    step(window.name, [&] { check.windows.push_back(try_window(window)); });
  for (const calibration::DifferentialInstruction& instruction : calibration::differential_instructions())
    step(instruction.name, [&] {
      check.differential.push_back({std::string(instruction.name), calibration::digest_of(instruction)});
    });
  for (const instruction::InstructionProbe& probe : probes)
    step(probe.name, [&] { check.probes.push_back(judged(probe)); });
  return check;
}

} // namespace fmha950::harness
