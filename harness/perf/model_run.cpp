#include "harness/perf/model_run.hpp"

#include "emulator/timing/assumption_words.hpp"
#include "emulator/timing/sample_choice.hpp"
#include "harness/cases/single_calls.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/judge/visible_work.hpp"
#include "harness/perf/clock_law.hpp"
#include "harness/perf/modelled_launch.hpp"
#include "harness/perf/reference_speeds.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// A plan whose scratch holds what a whole run leaves there: launches that others follow have run in full,
// unmodelled, since a consumer's clocks depend on what it reads (tiles that are rescaled, rows that are
// empty). Any of their workgroups may then be modelled alone.
class ModelledPlan {
 public:
  ModelledPlan(const Implementation& implementation, const Problem& problem, const Tensors& tensors)
      : device_(problem, tensors), plan_(implementation.plan(problem, tensors, device_.tensors())),
        launches_(plan_->workgroups_for(all_rows(problem))) {
    for (LaunchWorkgroups& launch : launches_) std::ranges::sort(launch.workgroups);
    if (launches_.size() == 1) return;
    std::vector<LaunchWorkgroups> producers = launches_;
    producers.back().workgroups.clear();
    run(producers);
  }

  TileShape score_tile() const { return plan_->score_tile(); }

  // Models the workgroups that `choose` takes of each launch's; returns them.
  template <class Choose> std::vector<LaunchWorkgroups> model(std::vector<std::string> words, Choose choose) {
    words.insert(words.begin(), "samples");
    std::vector<LaunchWorkgroups> chosen = launches_;
    for (LaunchWorkgroups& launch : chosen) launch.workgroups = choose(launch);
    const TimingInForce timing(fmt::format("{}", fmt::join(words, ",")));
    run(chosen);
    return chosen;
  }

 private:
  void run(const std::vector<LaunchWorkgroups>& only) {
    plan_->enqueue_restricted(nullptr, only);
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  }

  DeviceCase device_;
  std::unique_ptr<Plan> plan_;
  std::vector<LaunchWorkgroups> launches_; // all their workgroups, ascending
};

Modelled model_call(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                    const ModelOptions& options) {
  ModelledPlan plan(implementation, problem, tensors);
  const auto model = [&](size_t samples) {
    plan.model(options.words(), [&](const LaunchWorkgroups& of) {
      return timing::choose_samples(of.workgroups, of.work, samples);
    });
    Modelled modelled = modelled_of(hip::api().Timings(), matrix_flops_per_clock(problem));
    modelled.flops = attention_flops(problem, tensors);
    modelled.tile_flops = visible_tile_flops(problem, tensors, plan.score_tile());
    return modelled;
  };
  return model_by_samples(options, model);
}

} // namespace

std::vector<std::string> ModelOptions::words() const {
  std::vector<std::string> words = assumptions;
  // What is assumed already has no constants of the clock for a further assumption.
  if (!no_interval && assumptions.empty())
    for (const AssumedClockLaw& assumed : assumed_clock_laws)
      words.push_back(fmt::format("also={}", assumed.words));
  return words;
}

std::string ModelOptions::arguments() const {
  std::string text;
  if (explain) text += " --explain";
  if (no_interval) text += " --no-interval";
  if (samples > 0) text += fmt::format(" --samples {}", samples);
  if (!assumptions.empty()) text += fmt::format(" --assume {}", fmt::join(assumptions, ","));
  return text;
}

Modelled model_case(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                    const ModelOptions& options) {
  Modelled modelled;
  for_each_call(problem, tensors, [&](const SingleCall& call) {
    modelled.add(model_call(implementation, call.problem, call.tensors, options));
    return true;
  });
  return modelled;
}

std::vector<TimedWorkgroup> time_workgroup(const Implementation& implementation, const Problem& problem,
                                           const Tensors& tensors, uint32_t workgroup,
                                           const std::vector<std::string>& assumptions) {
  std::vector<std::string> words = assumptions;
  words.push_back("timeline");
  const auto launches =
      ModelledPlan(implementation, problem, tensors).model(words, [&](const LaunchWorkgroups& of) {
        const bool has = std::ranges::binary_search(of.workgroups, workgroup);
        return has ? std::vector<uint32_t>{workgroup} : std::vector<uint32_t>{};
      });
  std::vector<TimedWorkgroup> timed;
  for (const LaunchWorkgroups& launch : launches) {
    if (launch.workgroups.empty()) continue;
    const size_t number = timed.size(); // of those that were launched
    timed.push_back({launch.kernel, hip::api().TimingReport("perfetto", number),
                     hip::api().TimingReport("source", number)});
  }
  return timed;
}

} // namespace fmha950::harness
