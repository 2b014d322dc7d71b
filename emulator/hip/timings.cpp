#include "emulator/hip/timings.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/timing/assumed.hpp"
#include "emulator/timing/kernel_time.hpp"
#include "emulator/timing/report/perfetto.hpp"
#include "emulator/timing/report/source_listing.hpp"

#include <algorithm>
#include <charconv>
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
  bool timeline = false;
  // Under each of these the longest of the workgroups is replayed as well; its words as they were asked for.
  std::vector<std::pair<std::string, timing::Assumptions>> also;
  uint64_t copies = 1;      // of the memory that a launch touches, in the one that is meant
  std::optional<int> along; // dimension of the grid by which workgroups' work differs
};
struct Kept { // of a launch, to be shown
  std::string kernel;
  timing::KernelRecord record;
  timing::KernelTime time;
};
struct Asked {
  std::mutex mutex;
  std::optional<Request> request;
  std::string lines;
  std::vector<Kept> kept;
};
Asked& asked() {
  static Asked& instance = *new Asked;
  return instance;
}

bool assume(const std::string& word, Request& request) {
  const auto assumptions =
      word.find('+') != word.npos ? std::nullopt : timing::assumed(word, request.assumptions);
  if (assumptions) request.assumptions = *assumptions;
  return assumptions.has_value();
}

// Words joined by +, beside what the launch is modelled with.
bool assume_also(const std::string& text, Request& request) {
  const auto assumptions = timing::assumed(text, request.assumptions);
  if (assumptions) request.also.emplace_back(text, *assumptions);
  return assumptions.has_value();
}

bool choose_copies(const std::string& text, uint64_t& copies) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), copies);
  return error == std::errc() && end == text.data() + text.size() && copies >= 1 && copies <= 1 << 20;
}

bool choose(const std::string& word, Request& request) {
  constexpr std::string_view also = "also=";
  if (assume(word, request)) return true;
  if (word.starts_with(also)) return assume_also(word.substr(also.size()), request);
  if (word == "samples")
    request.placement = timing::Placement::samples;
  else if (word == "chiplet")
    request.placement = timing::Placement::chiplet;
  else if (word == "timeline")
    request.timeline = true;
  else if (word.starts_with("copies="))
    return choose_copies(word.substr(7), request.copies);
  else if (word.starts_with("along=") && word.size() == 7 && word[6] >= 'x' && word[6] <= 'z')
    request.along = word[6] - 'x';
  else
    return false;
  return true;
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
  const auto format = [](size_t i) { return timing::name_of(static_cast<timing::MatrixFormat>(i)); };
  const auto port = [](size_t i) { return timing::name_of(static_cast<timing::MemoryPort>(i)); };
  return fmt::format(
      R"({{"clocks":{},"cus":{},"workgroups":{},"spent":{},"busy":{},"matrix":{},"ports":{},"issued":{},"bytes":{}}})",
      run.clocks, run.cus, run.workgroups.size(), object(spent, run.spent), object(pipe, run.busy),
      object(format, run.matrix), object(port, run.traffic.busy), object(pipe, run.issued),
      object([](size_t i) { return levels[i]; }, run.traffic.bytes));
}

// The counts of the recorded workgroups.
timing::LdsCounts lds_counts_of(const timing::KernelRecord& record) {
  timing::LdsCounts sum;
  for (const timing::WorkgroupRecord& workgroup : record.workgroups)
    for (const timing::WaveRecord& wave : workgroup.waves) {
      sum.instructions += wave.lds.instructions;
      sum.conflicts += wave.lds.conflicts;
    }
  return sum;
}

// What MALL has under any assumptions: all lines of a launch are sorted for it, so once for each of the two.
class Malls {
 public:
  Malls(const timing::KernelRecord& record, const Request& request) : record_(record), request_(request) {}

  const timing::Mall& under(const timing::Assumptions& assumptions) {
    std::optional<timing::Mall>& mall = assumptions.warm ? warm_ : cold_;
    if (!mall)
      mall.emplace(record_, request_.placement == timing::Placement::chiplet, assumptions.warm,
                   request_.copies);
    return *mall;
  }

 private:
  const timing::KernelRecord& record_;
  const Request& request_;
  std::optional<timing::Mall> warm_, cold_;
};

// What the longest workgroup takes under other assumptions, beside what it takes in `time`.
std::string also_line_of(const Request& request, const timing::KernelTime& time,
                         const timing::KernelRecord& record, Malls& malls) {
  if (request.also.empty() || time.samples.empty()) return "";
  const auto longest = std::ranges::max_element(time.samples, {}, &timing::SampledWorkgroup::clocks);
  const auto place = static_cast<size_t>(longest - time.samples.begin());
  const timing::KernelRecord one{record.ops,
                                 {record.workgroups[place]},
                                 record.touched,
                                 record.workgroups_per_cu,
                                 record.grid_workgroups};
  std::vector<std::string> others;
  for (const auto& [words, assumptions] : request.also)
    others.push_back(fmt::format(
        R"({{"assume":"{}","beside":{},"run":{}}})", words, longest->clocks,
        line_of(
            timing::time_of(one, malls.under(assumptions), request.placement, assumptions).runs.front())));
  return fmt::format(R"("also":[{}],)", fmt::join(others, ","));
}

std::string line_of(const timing::KernelTime& time, const timing::KernelRecord& record,
                    const machine::Launch& launch, const std::string& also) {
  std::vector<std::string> runs, samples;
  for (const timing::Simulation& run : time.runs) runs.push_back(line_of(run));
  for (const timing::SampledWorkgroup& sample : time.samples)
    samples.push_back(fmt::format("[{},{}]", sample.linear_id, sample.clocks));
  const std::optional<double> error = time.gpu.sampling_error;
  const timing::LdsCounts lds = lds_counts_of(record);
  return fmt::format(
      R"({{"kernel":"{}","launch":{},"grid":{},"resident":{},"gpu_clocks":{},"occupied":{:.6f},"sampling_error":{},)"
      R"("lds":{{"instructions":{},"conflicts":{}}},{}"samples":[{}],"runs":[{}]}})"
      "\n",
      launch.kernel->name, launch.number, record.grid_workgroups, time.resident,
      time.gpu.clocks > 0 ? fmt::format("{:.1f}", time.gpu.clocks) : "null", time.gpu.occupied,
      error ? fmt::format("{:.5f}", *error) : "null", lds.instructions, lds.conflicts, also,
      fmt::join(samples, ","), fmt::join(runs, ","));
}

} // namespace

std::string time_launches(const std::string& text) {
  std::optional<Request> request;
  if (text != "off") {
    std::istringstream words(text);
    request.emplace();
    const std::string right = "must be off alone, or samples or chiplet and then what to add, separated by "
                              "commas: timeline, along=x, y or z, copies=N, also=WORD+WORD, " +
                              timing::assumption_list();
    for (std::string word; std::getline(words, word, ',');)
      if (!choose(word, *request)) return fmt::format("'{}' is none of its words; {}", word, right);
    if (text.empty()) return right;
  }
  const std::lock_guard lock(asked().mutex);
  asked().request = request;
  return {};
}

std::unique_ptr<timing::Recorder> recorder_of(const machine::Launch& launch) {
  const std::lock_guard lock(asked().mutex);
  return asked().request ? std::make_unique<timing::Recorder>(launch, asked().request->timeline) : nullptr;
}

void model(timing::Recorder& recorder, const machine::Launch& launch) {
  const std::lock_guard lock(asked().mutex);
  if (!asked().request) return;
  const Request& request = *asked().request;
  timing::KernelRecord record = recorder.take();
  Malls malls(record, request);
  timing::KernelTime time =
      timing::time_of(record, malls.under(request.assumptions), request.placement, request.assumptions,
                      request.timeline, axis_of(request.along, launch));
  asked().lines += line_of(time, record, launch, also_line_of(request, time, record, malls));
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
