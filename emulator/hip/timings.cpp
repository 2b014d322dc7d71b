#include "emulator/hip/timings.hpp"

#include "emulator/hip/timing_line.hpp"
#include "emulator/hip/timing_report_file.hpp"
#include "emulator/hip/timing_request.hpp"
#include "emulator/hip/work_queue.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/timing/assumed.hpp"
#include "emulator/timing/report/perfetto.hpp"
#include "emulator/timing/report/source_listing.hpp"
#include "emulator/timing/sample_choice.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <mutex>
#include <optional>
#include <utility>

namespace fmha950::hip {
namespace {

struct Kept { // of a launch, to be shown
  std::string kernel;
  timing::KernelRecord record;
  timing::KernelTime time;
};
struct Asked {
  std::mutex mutex;
  std::optional<TimingRequest> request;
  bool is_off = false;                  // as option timing said
  std::optional<TimingReportFile> file; // else lines are kept
  std::string lines;
  std::vector<Kept> kept;
};
Asked& asked() {
  static Asked& instance = *new Asked;
  return instance;
}

timing::WorkAxis axis_of(std::optional<int> along, const machine::Launch& launch) {
  timing::WorkAxis axis;
  if (along) {
    for (int i = 0; i < *along; ++i) axis.stride *= launch.grid[i];
    axis.extent = launch.grid[*along];
  } else if (launch.work) {
    axis.work = *launch.work;
  }
  return axis;
}

// What a reader needs for a time with its interval, of launches of any size.
constexpr uint64_t workgroups_in_report = 17, stalls_in_report = 5;

// What option timing says besides stays as it is.
TimingRequest for_report(std::optional<TimingRequest> asked) {
  TimingRequest request;
  request.most = workgroups_in_report;
  if (asked) request = std::move(*asked);
  if (request.stalls == 0) request.stalls = stalls_in_report;
  if (request.also.empty())
    for (const std::string_view open : timing::open_questions)
      if (const auto assumptions = timing::assumed(open, request.assumptions))
        request.also.emplace_back(open, *assumptions);
  return request;
}

} // namespace

std::string time_launches(const std::string& text) {
  std::string error;
  std::optional<TimingRequest> request;
  if (text != "off" && !(request = parse_timing(text, error))) return error;
  const std::lock_guard lock(asked().mutex);
  asked().request = std::move(request);
  asked().is_off = !asked().request;
  return {};
}

std::string timings_to_file(const std::string& path) {
  std::string error;
  std::optional<TimingReportFile> file;
  if (!path.empty() && !(file = TimingReportFile::create(path, error))) return error;
  const std::lock_guard lock(asked().mutex);
  asked().file = std::move(file);
  if (!asked().file) asked().is_off = false; // for the next one
  if (asked().file && !asked().is_off) asked().request = for_report(std::move(asked().request));
  return {};
}

std::unique_ptr<timing::Recorder> recorder_of(machine::Launch& launch) {
  const std::lock_guard lock(asked().mutex);
  if (!asked().request) return nullptr;
  const TimingRequest& request = *asked().request;
  if (fnmatch(request.kernel.c_str(), launch.kernel->name.c_str(), 0) != 0) return nullptr;
  std::vector<uint32_t> chosen;
  if (launch.only)
    chosen = *launch.only;
  else if (request.most > 0)
    chosen = timing::choose_samples(uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2], request.most);
  const bool are_samples = request.placement == timing::Placement::samples;
  auto recorder = std::make_unique<timing::Recorder>(launch, request.timeline || request.stalls > 0,
                                                     std::move(chosen), are_samples);
  const bool is_all = recorder->seen().size() == recorder->grid_workgroups();
  if ((request.alone || launch.only) && !recorder->seen().empty() && !is_all) launch.only = &recorder->seen();
  return recorder;
}

void model(timing::Recorder& recorder, const machine::Launch& launch) {
  const std::lock_guard lock(asked().mutex);
  if (!asked().request) return;
  const TimingRequest& request = *asked().request;
  timing::KernelRecord record = recorder.take();
  Malls malls(record, request);
  timing::KernelTime time =
      timing::time_of(record, malls.under(request.assumptions), request.placement, request.assumptions,
                      request.timeline, axis_of(request.along, launch));
  const std::string line = timing_line(request, time, record, malls, launch, number_of_queue());
  if (asked().file)
    asked().file->add(line);
  else
    asked().lines += line;
  if (request.timeline) asked().kept.push_back({launch.kernel->name, std::move(record), std::move(time)});
}

std::optional<std::string> report_timing(std::string_view form, size_t launch) {
  const std::lock_guard lock(asked().mutex);
  if (launch >= asked().kept.size() || asked().kept[launch].time.runs.empty()) return std::nullopt;
  const Kept& kept = asked().kept[launch];
  if (form == "perfetto") return timing::perfetto(kept.kernel, kept.record, kept.time.runs.front());
  if (form == "source") return timing::source_listing(kept.kernel, kept.record, kept.time.runs.front());
  return std::nullopt;
}

std::string take_timings() {
  const std::lock_guard lock(asked().mutex);
  asked().kept.clear();
  return std::exchange(asked().lines, {});
}

} // namespace fmha950::hip
