#include "emulator/hip/timings.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/timing/kernel_time.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <optional>
#include <sstream>

namespace fmha950::hip {
namespace {

struct Request {
  timing::Placement placement = timing::Placement::samples;
  timing::Assumptions assumptions;
};
struct Asked {
  std::mutex mutex;
  std::optional<Request> request;
  std::string lines;
};
Asked& asked() {
  static Asked& instance = *new Asked;
  return instance;
}

bool choose(const std::string& word, Request& request) {
  if (word == "samples")
    request.placement = timing::Placement::samples;
  else if (word == "chiplet")
    request.placement = timing::Placement::chiplet;
  else if (word == "cold")
    request.assumptions.warm = false;
  else if (word == "lds128")
    request.assumptions.lds_reads_128 = true;
  else if (word == "exp16")
    request.assumptions.slow_exp = true;
  else if (word == "mfma_slot")
    request.assumptions.mfma_in_valu_slot = true;
  else
    return false;
  return true;
}

template <class Name, class Values> std::string object(Name name, const Values& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    text += fmt::format(R"({}"{}":{})", i ? "," : "", name(i), values[i]);
  return "{" + text + "}";
}

std::string line_of(const timing::Simulation& run) {
  static constexpr const char* levels[] = {"l1", "l2", "mall", "hbm"};
  const auto spent = [](size_t i) { return timing::name_of(static_cast<timing::Spent>(i)); };
  const auto pipe = [](size_t i) { return timing::name_of(static_cast<timing::Pipe>(i)); };
  return fmt::format(
      R"({{"clocks":{},"cus":{},"workgroups":{},"spent":{},"busy":{},"issued":{},"bytes":{}}})", run.clocks,
      run.cus, run.workgroups.size(), object(spent, run.spent), object(pipe, run.busy),
      object(pipe, run.issued), object([](size_t i) { return levels[i]; }, run.traffic.bytes));
}

std::string line_of(const timing::KernelTime& time, const timing::KernelRecord& record,
                    const machine::Launch& launch) {
  std::vector<std::string> runs, samples;
  for (const timing::Simulation& run : time.runs) runs.push_back(line_of(run));
  for (const timing::SampledWorkgroup& sample : time.samples)
    samples.push_back(fmt::format("[{},{}]", sample.linear_id, sample.clocks));
  return fmt::format(
      R"({{"kernel":"{}","launch":{},"grid":{},"resident":{},"gpu_clocks":{:.1f},"sampling_error":{:.5f},)"
      R"("samples":[{}],"runs":[{}]}})"
      "\n",
      launch.kernel->name, launch.number, record.grid_workgroups, time.resident, time.gpu.clocks,
      time.gpu.sampling_error, fmt::join(samples, ","), fmt::join(runs, ","));
}

} // namespace

std::string time_launches(const std::string& text) {
  std::optional<Request> request;
  if (text != "off") {
    std::istringstream words(text);
    request.emplace();
    for (std::string word; std::getline(words, word, ',');)
      if (!choose(word, *request))
        return fmt::format("{} is none of off, samples, chiplet, cold, lds128, exp16, mfma_slot", word);
    if (text.empty())
      return "must be off, samples or chiplet, then what to assume: cold, lds128, exp16, mfma_slot";
  }
  const std::lock_guard lock(asked().mutex);
  asked().request = request;
  return {};
}

std::unique_ptr<timing::Recorder> recorder_of(const machine::Launch& launch) {
  const std::lock_guard lock(asked().mutex);
  return asked().request ? std::make_unique<timing::Recorder>(launch) : nullptr;
}

void model(timing::Recorder& recorder, const machine::Launch& launch) {
  const std::lock_guard lock(asked().mutex);
  if (!asked().request) return;
  const timing::KernelRecord record = recorder.take();
  const Request& request = *asked().request;
  const timing::KernelTime time = timing::time_of(record, request.placement, request.assumptions);
  asked().lines += line_of(time, record, launch);
}

std::string take_timings() {
  const std::lock_guard lock(asked().mutex);
  return std::exchange(asked().lines, {});
}

} // namespace fmha950::hip
