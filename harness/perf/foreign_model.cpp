#include "harness/perf/foreign_model.hpp"

#include "emulator/timing/sample_choice.hpp"
#include "harness/perf/modelled_launch.hpp"
#include "harness/perf/modelled_time.hpp"

#include <fmt/ranges.h>

namespace fmha950::harness {

namespace {

Modelled model_workgroups(const std::vector<uint32_t>& chosen, const std::vector<std::string>& words,
                          const LoadedKernel& kernel, const LaunchShape& shape,
                          const ArgumentBlock& arguments, const char* placement = "samples") {
  const TimingInForce timing(
      fmt::format("{}{}{}", placement, words.empty() ? "" : ",", fmt::join(words, ",")));
  ForeignRun(kernel, shape, arguments).launch(&chosen);
  constexpr double unknown_peak = 0; // it depends on the format of the kernel's matrix instructions
  return modelled_of(hip::api().Timings(), unknown_peak);
}

} // namespace

Modelled model_foreign(const LoadedKernel& kernel, const LaunchShape& shape, const ArgumentBlock& arguments,
                       const ModelOptions& options) {
  const uint64_t workgroups = uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  const auto model = [&](size_t samples) {
    return model_workgroups(timing::choose_samples(workgroups, samples), options.words(), kernel, shape,
                            arguments);
  };
  return model_by_samples(options, model);
}

Modelled model_foreign_along(int along, const LoadedKernel& kernel, const LaunchShape& shape,
                             const ArgumentBlock& arguments, std::vector<std::string> assumptions) {
  const std::array<uint32_t, 3> extents{shape.grid.x, shape.grid.y, shape.grid.z};
  const std::array<uint32_t, 3> strides{1, shape.grid.x, shape.grid.x * shape.grid.y};
  const auto dimension = static_cast<size_t>(along);
  std::vector<uint32_t> chosen(extents.at(dimension));
  for (uint32_t i = 0; i < chosen.size(); ++i) chosen[i] = i * strides.at(dimension);
  assumptions.push_back(fmt::format("along={}", "xyz"[along]));
  return model_workgroups(chosen, assumptions, kernel, shape, arguments);
}

Modelled model_foreign_together(const LoadedKernel& kernel, const LaunchShape& shape,
                                const ArgumentBlock& arguments, const std::vector<std::string>& assumptions) {
  const uint64_t grid = uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  const auto model = [&](uint64_t on_a_cu) {
    return model_workgroups(timing::first_of_a_chiplet(grid, on_a_cu * timing::cus_per_chiplet), assumptions,
                            kernel, shape, arguments, "chiplet");
  };
  const Modelled one_each = model(1);
  const int resident = one_each.longest().resident;
  return resident == 1 ? one_each : model(static_cast<uint64_t>(resident));
}

std::string describe_foreign(const Modelled& modelled) {
  const ModelledLaunch& launch = modelled.longest();
  const auto error = modelled.sampling_error();
  const auto shares = [](const Named& named) {
    const std::string text = largest(named, 4);
    return text.empty() ? "nothing above 1 %" : text;
  };
  const Range seconds = seconds_of(modelled);
  const Range microseconds{1e6 * seconds.best, 1e6 * seconds.low, 1e6 * seconds.high, seconds.sampling_known};
  return fmt::format("modelled: {:.0f} clocks of the GPU, sampling error {}; at {:.0f} MHz {:.2f} us ({}), a "
                     "dispatch among them\n"
                     "  {} of {} workgroups followed, {} on a CU at a time\n"
                     "  busy: {}\n  waits: {}\n",
                     modelled.clocks(), error ? fmt::format("{:.1f} %", 100 * *error) : "unknown",
                     hertz_of(modelled) / 1e6, microseconds.best, ends_of(microseconds, 2), launch.sampled,
                     launch.workgroups, launch.resident, shares(launch.busy), shares(waits(launch)));
}

} // namespace fmha950::harness
