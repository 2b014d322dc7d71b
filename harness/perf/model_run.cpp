#include "harness/perf/model_run.hpp"

#include "harness/accuracy/row_sample.hpp"
#include "harness/cases/single_calls.hpp"
#include "harness/device/device_case.hpp"
#include "harness/perf/timing_in_force.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// The first, the last and as many at equal distances between: workgroups are dispatched in this order, and
// neighbours have nearly the same work.
std::vector<uint32_t> spread(const std::vector<uint32_t>& workgroups, size_t count) {
  if (workgroups.size() <= count) return workgroups;
  std::vector<uint32_t> chosen;
  for (size_t i = 0; i < count; ++i)
    chosen.push_back(workgroups[count == 1 ? 0 : i * (workgroups.size() - 1) / (count - 1)]);
  return chosen;
}

} // namespace

void ModelOptions::add_options(CLI::App& command) {
  command
      .add_option(
          "--samples", samples,
          "Workgroups of each launch that the cycle model follows (default: 5, and 17 or 65 where fewer "
          "leave more than 5 % uncertain)")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--assume", assumptions,
                  "Where public sources disagree, comma-separated: cold, lds128, exp16, mfma_slot "
                  "(docs/timing.md)")
      ->delimiter(',');
}

std::string ModelOptions::arguments() const {
  std::string text;
  if (samples > 0) text += fmt::format(" --samples {}", samples);
  if (!assumptions.empty()) text += fmt::format(" --assume {}", fmt::join(assumptions, ","));
  return text;
}

namespace {

// Runs the chosen workgroups of each launch with the cycle model; `choose` gets a launch's workgroups. Then
// reads what the model found.
template <class Choose, class Read>
void run_modelled(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                  std::vector<std::string> words, Choose choose, Read read) {
  words.insert(words.begin(), "samples");
  const TimingInForce timing(fmt::format("{}", fmt::join(words, ",")));
  DeviceCase device(problem, tensors);
  const auto plan = implementation.plan(problem, tensors, device.tensors());
  std::vector<LaunchWorkgroups> launches = plan->workgroups_for(all_rows(problem));
  for (LaunchWorkgroups& launch : launches) {
    std::ranges::sort(launch.workgroups);
    launch.workgroups = choose(launch.workgroups);
  }
  plan->enqueue_restricted(nullptr, launches);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  read(launches);
}

} // namespace

namespace {

Modelled model_samples(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                       const std::vector<std::string>& assumptions, size_t samples) {
  Modelled modelled;
  for_each_call(problem, tensors, [&](const SingleCall& call) {
    run_modelled(
        implementation, call.problem, call.tensors, assumptions,
        [&](const std::vector<uint32_t>& workgroups) { return spread(workgroups, samples); },
        [&](const std::vector<LaunchWorkgroups>&) {
          modelled.add(modelled_of(hip::api().Timings(), attention_flops(call.problem, call.tensors)));
        });
    return true;
  });
  return modelled;
}

} // namespace

Modelled model_case(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                    const ModelOptions& options) {
  constexpr double certain = 0.05;
  constexpr size_t most_samples = 65;
  const auto model = [&](size_t samples) {
    return model_samples(implementation, problem, tensors, options.assumptions, samples);
  };
  if (options.samples > 0) return model(static_cast<size_t>(options.samples));
  // Where workgroups' lengths do not fall evenly over the grid, few say little of the others.
  for (size_t samples = 5;; samples = 4 * samples - 3) {
    const Modelled modelled = model(samples);
    if (modelled.sampling_error() <= certain || samples >= most_samples) return modelled;
  }
}

std::vector<TimedWorkgroup> time_workgroup(const Implementation& implementation, const Problem& problem,
                                           const Tensors& tensors, uint32_t workgroup,
                                           const std::vector<std::string>& assumptions) {
  std::vector<std::string> words = assumptions;
  words.push_back("timeline");
  std::vector<TimedWorkgroup> timed;
  run_modelled(
      implementation, problem, tensors, words,
      [&](const std::vector<uint32_t>& workgroups) {
        const bool has = std::ranges::binary_search(workgroups, workgroup);
        return has ? std::vector<uint32_t>{workgroup} : std::vector<uint32_t>{};
      },
      [&](const std::vector<LaunchWorkgroups>& launches) {
        size_t number = 0; // of those that were launched
        for (const LaunchWorkgroups& launch : launches) {
          if (launch.workgroups.empty()) continue;
          timed.push_back({launch.kernel, hip::api().TimingReport("perfetto", number),
                           hip::api().TimingReport("source", number)});
          ++number;
        }
      });
  return timed;
}

} // namespace fmha950::harness
