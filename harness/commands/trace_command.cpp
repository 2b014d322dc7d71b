#include "harness/cases/case_memory.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/cases/single_calls.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/output/line_file.hpp"
#include "harness/perf/launch_timeline.hpp"
#include "harness/perf/model_run.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"
#include "workload/trace.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace fmha950::harness {

namespace {

const std::string standard_output = "/dev/stdout";

struct TraceState {
  std::string text, implementation = "auto", output = standard_output, timeline;
  bool source = false, overwrite = false;
  uint32_t workgroup = 0;
  std::vector<std::string> assumptions, timings;
  ExternalOption external;
  MemoryLimit memory_limit;
  bool modelled() const { return source || !timeline.empty(); }
};

// "tl.json" if there is one launch, "tl.KERNEL.json" if there are several, "tl.KERNEL.2.json" for the second one of a kernel.
std::string timeline_file(const TraceState& state, const std::vector<TimedWorkgroup>& launches, size_t i) {
  std::filesystem::path path = state.timeline;
  if (launches.size() == 1) return path.string();
  const std::string& kernel = launches[i].kernel;
  const auto end = launches.begin() + static_cast<ptrdiff_t>(i);
  const auto before = std::ranges::count(launches.begin(), end, kernel, &TimedWorkgroup::kernel);
  const std::string number = before > 0 ? fmt::format(".{}", before + 1) : "";
  path.replace_extension(kernel + number + path.extension().string());
  return path.string();
}

void require_some(const TraceState& state, bool launches) {
  if (!launches)
    throw InvalidInput("workgroup", std::to_string(state.workgroup), "no launch of the case has it");
}

bool has_workgroup(const Plan& plan, const Problem& problem, uint32_t workgroup) {
  return std::ranges::any_of(plan.workgroups_for(all_rows(problem)), [&](const LaunchWorkgroups& launch) {
    return std::ranges::count(launch.workgroups, workgroup) > 0;
  });
}

// A file of this command's own, whose lines others do not write meanwhile: no results of another run are in it.
std::unique_ptr<LineFile> own_file(const std::string& field, const std::string& path, bool overwrite) {
  if (!overwrite && std::filesystem::is_regular_file(path) && std::filesystem::file_size(path) > 0)
    throw InvalidInput(field, path, "is not empty: add --overwrite to begin it anew");
  return std::make_unique<LineFile>(field, path, ExistingLines::replace);
}

void write_timeline(const TraceState& state, const std::string& path, const std::string& text,
                    const char* what_then) {
  own_file("timeline", path, state.overwrite)->add(text);
  fmt::print(stderr, "{}: modelled; {}\n", path, what_then);
}

void show_timing(const TraceState& state, const Implementation& implementation, const Problem& problem,
                 const Tensors& tensors) {
  const auto launches = time_workgroup(implementation, problem, tensors, state.workgroup, state.assumptions);
  require_some(state, !launches.empty());
  for (size_t i = 0; i < launches.size(); ++i) {
    if (!state.timeline.empty())
      write_timeline(state, timeline_file(state, launches, i), launches[i].perfetto,
                     "open it at ui.perfetto.dev or draw it with analysis/timeline_figure.py");
    if (state.source) fmt::print("{}\n", launches[i].source);
  }
}

void trace_launches(const TraceState& state) {
  if (!state.assumptions.empty())
    throw InvalidInput(
        "--assume", fmt::format("{}", fmt::join(state.assumptions, ",")),
        "must not stand beside --timings: FMHA950_TIMING says what a program's launches assume");
  write_timeline(state, state.timeline, launch_timeline(read_launch_timings(state.timings)),
                 "open it at ui.perfetto.dev");
}

void trace(const TraceState& state) {
  if (!state.timings.empty()) return trace_launches(state);
  if (state.text.empty())
    throw InvalidInput("case", "", "must be a case string (./fmha950 run --help), or --timings names files");
  if (!state.modelled() && !state.assumptions.empty())
    throw InvalidInput("--assume", fmt::format("{}", fmt::join(state.assumptions, ",")),
                       "is of the cycle model: add --source or --timeline");
  state.external.use();
  Problem problem = parse_case(state.text);
  workload::resolve_trace(problem);
  state.memory_limit.require(memory_of(problem, {.judged = false}));
  const Tensors tensors = workload::make_tensors(problem);
  std::unique_ptr<LineFile> lines; // the device appends to it
  if (!state.modelled() && state.output != standard_output)
    lines = own_file("output", state.output, state.overwrite);
  for (const Dispatch& dispatched : dispatch(state.implementation, problem)) {
    if (!dispatched.implementation) throw InvalidInput("case", state.text, dispatched.why_not);
    if (state.modelled()) {
      if (problem.calls > 1)
        throw InvalidInput("calls", std::to_string(problem.calls),
                           "must be 1 for --source and --timeline, which are of one call");
      show_timing(state, *dispatched.implementation, problem, tensors);
      continue;
    }
    const auto cache = cache_of_calls(problem, tensors);
    for_each_call(problem, tensors, [&](const SingleCall& call) {
      CaseRun run(*dispatched.implementation, call.problem, call.tensors, cache);
      require_some(state, has_workgroup(run.plan(), call.problem, state.workgroup));
      trace_to(fmt::format("{},{}", state.output, state.workgroup));
      run.run({}, all_rows(call.problem));
      trace_to("");
      fmt::print(stderr, "{} {}, workgroup {} of each launch; clocks are modelled\n",
                 dispatched.implementation->name(), run.plan().variant(), state.workgroup);
      return true;
    });
  }
}

} // namespace

void add_trace_command(Command program, int& exit_code) {
  auto state = std::make_shared<TraceState>();
  Command command = program.command(
      "trace", "What the waves of a workgroup execute between barriers, per unit, as JSON lines");
  const Option case_string = command.option("case", state->text, "Case string");
  const Option implementation =
      command.option("--impl", state->implementation, "Implementation, all or auto").show_default();
  state->external.add(command);
  const Option workgroup =
      command.option("--workgroup", state->workgroup, "Its linear id in every launch").show_default();
  const Option output = add_file_option(command, "--output", state->output,
                                        "Write to this file; one that is not empty needs --overwrite")
                            .show_default();
  const Option timeline = add_file_option(
      command, "--timeline", state->timeline,
      "Instead: the workgroup clock by clock, modelled, as a trace for ui.perfetto.dev in this file");
  command.flag("--overwrite", state->overwrite, "Begin the file of --output or --timeline anew");
  const Option source =
      command.flag("--source", state->source,
                   "Instead, or too: where its waves spend their clocks, modelled, by source line");
  add_assume_option(command, state->assumptions);
  Option timings = command
                       .option("--timings", state->timings,
                               "Instead of a case: files of FMHA950_TIMING_REPORT, whose launches become the "
                               "trace of --timeline, a row for each stream (docs/timing.md)")
                       .needs(timeline);
  for (const Option& of_a_case : {case_string, implementation, workgroup, output, source})
    timings.excludes(of_a_case);
  add_options(command, state->memory_limit);
  command.run([state, &exit_code] {
    trace(*state);
    exit_code = 0;
  });
}

} // namespace fmha950::harness
