#include "emulator/hip/timing_line.hpp"

#include "emulator/hip/json_text.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/timing/report/source_listing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fmha950::hip {
namespace {

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

std::string shape_of(const machine::Launch& launch) {
  return fmt::format(R"({{"grid":[{}],"block":[{}],"vgprs":{},"lds_bytes":{}}})", fmt::join(launch.grid, ","),
                     fmt::join(launch.block, ","), launch.kernel->vgpr_count,
                     launch.kernel->static_lds + launch.dynamic_lds);
}

// Of the whole grid: where not all of it was executed, as of what was.
uint64_t matrix_flops_of(const timing::KernelRecord& record) {
  if (record.executed_workgroups == record.grid_workgroups) return record.matrix_flops;
  const auto executed = static_cast<double>(std::max<uint64_t>(1, record.executed_workgroups));
  return static_cast<uint64_t>(static_cast<double>(record.matrix_flops) *
                               static_cast<double>(record.grid_workgroups) / executed);
}

// Of the longest workgroup.
std::string stalls_of(const TimingRequest& request, const timing::KernelTime& time,
                      const timing::KernelRecord& record) {
  if (request.stalls == 0 || time.runs.empty()) return "";
  const auto longest = std::ranges::max_element(time.runs, {}, &timing::Simulation::clocks);
  std::vector<std::string> lines;
  for (const timing::SourceShare& line : timing::source_shares(record, *longest)) {
    if (lines.size() == request.stalls) break;
    lines.push_back(fmt::format(R"({{"source":{},"share":{:.4f},"waits":{}}})", json_text(line.source),
                                line.share, json_text(line.waits)));
  }
  return fmt::format(R"("stalls":[{}],)", fmt::join(lines, ","));
}

// The longest workgroup alone, and the same under other assumptions.
std::string also_of(const TimingRequest& request, const timing::KernelTime& time,
                    const timing::KernelRecord& record, Malls& malls) {
  if (request.also.empty() || time.samples.empty()) return "";
  const auto longest = std::ranges::max_element(time.samples, {}, &timing::SampledWorkgroup::clocks);
  const auto place = static_cast<size_t>(longest - time.samples.begin());
  const timing::KernelRecord one{record.ops,
                                 {record.workgroups[place]},
                                 record.touched,
                                 record.workgroups_per_cu,
                                 record.grid_workgroups};
  const auto run_under = [&](const timing::Assumptions& assumptions) {
    return line_of(
        timing::time_of(one, malls.under(assumptions), request.placement, assumptions).runs.front());
  };
  std::vector<std::string> others;
  for (const auto& [words, assumptions] : request.also)
    others.push_back(fmt::format(R"({{"assume":"{}","run":{}}})", words, run_under(assumptions)));
  return fmt::format(R"("longest":{},"also":[{}],)", run_under(request.assumptions), fmt::join(others, ","));
}

} // namespace

const timing::Mall& Malls::under(const timing::Assumptions& assumptions) {
  std::optional<timing::Mall>& mall = assumptions.warm ? warm_ : cold_;
  if (!mall)
    mall.emplace(record_, request_.placement == timing::Placement::chiplet, assumptions.warm,
                 request_.copies);
  return *mall;
}

std::string timing_line(const TimingRequest& request, const timing::KernelTime& time,
                        const timing::KernelRecord& record, Malls& malls, const machine::Launch& launch,
                        uint64_t stream) {
  std::vector<std::string> runs, samples;
  for (const timing::Simulation& run : time.runs) runs.push_back(line_of(run));
  for (const timing::SampledWorkgroup& sample : time.samples)
    samples.push_back(fmt::format("[{},{}]", sample.linear_id, sample.clocks));
  const std::optional<double> error = time.gpu.sampling_error;
  const timing::LdsCounts lds = lds_counts_of(record);
  return fmt::format(
      R"({{"kernel":{},"launch":{},"stream":{},"grid":{},"shape":{},"executed":"{}","resident":{},"gpu_clocks":{},)"
      R"("occupied":{:.6f},"sampling_error":{},"matrix_flops":{},)"
      R"("lds":{{"instructions":{},"conflicts":{}}},{}{}"samples":[{}],"runs":[{}]}})"
      "\n",
      json_text(launch.kernel->name), launch.number, stream, record.grid_workgroups, shape_of(launch),
      launch.only ? "some" : "all", time.resident,
      time.gpu.clocks > 0 ? fmt::format("{:.1f}", time.gpu.clocks) : "null", time.gpu.occupied,
      error ? fmt::format("{:.5f}", *error) : "null", matrix_flops_of(record), lds.instructions,
      lds.conflicts, stalls_of(request, time, record), also_of(request, time, record, malls),
      fmt::join(samples, ","), fmt::join(runs, ","));
}

} // namespace fmha950::hip
