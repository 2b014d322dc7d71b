// The embedded device's own speed against the host's, side by side in one run. Nothing here says anything
// about the speed of a gfx950.
#include "harness/bench/loops.hpp"
#include "harness/bench/stopwatch.hpp"
#include "harness/bench/timed_problems.hpp"
#include "harness/bench/torch_attention.hpp"
#include "harness/cases/case_memory.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/cure/case_cures.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/device/hazards.hpp"
#include "harness/mutation/kernel_list.hpp"
#include "harness/mutation/subject.hpp"
#include "harness/output/progress.hpp"
#include "harness/perf/modelled_launch.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/trace.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fmha950::harness {

namespace {

// 4.3 GFLOP: a fraction of a second on the embedded device, and enough workgroups for several threads. The
// first is what torch is compared with, and with which checks and the cycle model are timed.
const std::string shape = "batch_prefill/h=8:1/sq=512/sk=2048/d=128/page=64";
const std::string bf16_case = shape + "/q=bf16/kv=bf16", fp8_case = shape + "/q=fp8/kv=fp8/quant=tensor";
const std::vector<AttentionForm> usual_forms = {
    {"attention_bf16", "prepass", bf16_case},
    {"attention_fp8_f8f6f4", "pipelined", fp8_case},
    {"attention_fp8_32x32x16", "pipelined_x16", fp8_case},
};

struct BenchState {
  std::string attention_case, implementation = "prepass", torch;
  int repeats = 7;
  MemoryLimit memory_limit;
};

// The audit of a usual problem, and of one whose K has descales per page: those are parts, too.
const std::string audited_shape =
    "batch_prefill/h=8:1/sq=64/sk=16384/d=128/page=64/q=fp8/kv=fp8/lse=1/quant=";

constexpr int64_t fma_iterations = 4'000'000;
constexpr int mfma_iterations = 40'000;
constexpr int valu_iterations = 100'000;
constexpr uint32_t small_workgroups = 100'000;
const Variation one_thread{"eager", "1", "", "none"}, two_threads{"eager", "2", "", "none"};
const Variation timed{"timed", "1", "", "none"};
const Variation checked{"eager", "1", "", "all"}, checked_for_errors{"eager", "1", "", "errors"};

std::vector<AttentionForm> forms_of(const BenchState& state) {
  if (state.attention_case.empty()) return usual_forms;
  return {{"attention", state.implementation, state.attention_case}};
}

// Instructions that the cycle model has replayed since it was last asked.
double replayed_instructions() {
  double sum = 0;
  std::istringstream lines(hip::api().Timings());
  for (std::string line; std::getline(lines, line);) {
    const auto launch = nlohmann::json::parse(line);
    for (const auto& run : launch.at("runs"))
      for (const auto& [pipe, issued] : run.at("issued").items()) sum += issued.get<double>();
  }
  return sum;
}

void time_loops(double peak, DeviceLoops& loops, Figures& figures) {
  set_option("schedule", "eager"); // the last attention run was under another
  const Elapsed mfma = elapsed([&] { loops.run_mfma(mfma_iterations); });
  const Elapsed valu = elapsed([&] { loops.run_valu(valu_iterations); });
  set_option("schedule", "timed");
  const Elapsed valu_by_clock = elapsed([&] { loops.run_valu(valu_iterations); });
  set_option("schedule", "eager");
  figures.add("timed_slowdown_valu", "ratio", valu_by_clock.cpu / valu.cpu);
  const double speed = DeviceLoops::mfma_flops(mfma_iterations) / mfma.cpu;
  figures.add("mfma_bf16", "GFLOP/s", speed / 1e9);
  figures.add("mfma_bf16_of_fma_peak", "ratio", speed / peak);
  figures.add("valu_ns", "ns", 1e9 * valu.cpu / DeviceLoops::valu_instructions(valu_iterations));
}

// What a program pays beside its instructions, on two threads.
void time_overheads(DeviceLoops& loops, Figures& figures) {
  set_option("threads", "2");
  for (const char* schedule : {"eager", "timed"}) {
    set_option("schedule", schedule);
    const Elapsed launch = elapsed([&] { loops.run_small_workgroups(small_workgroups); });
    figures.add(fmt::format("small_workgroups_{}", schedule), "s", launch.wall);
  }
  set_option("threads", "1");
  set_option("schedule", "eager");
  const std::string query = std::filesystem::read_symlink("/proc/self/exe").string();
  int code = 0;
  const Elapsed start = elapsed([&] { code = std::system(("'" + query + "' device > /dev/null").c_str()); });
  if (code != 0) throw InvalidInput("bench", query + " device", "must end with 0");
  figures.add("query_program", "ms", 1e3 * start.wall);
}

// On one thread and on two.
std::pair<Elapsed, Elapsed> time_attention(double peak, TimedAttention& attention, Figures& figures) {
  const Elapsed two = attention.run(two_threads), one = attention.run(one_thread);
  const double speed = attention.flops() / one.cpu;
  figures.add(attention.name(), "GFLOP/s", speed / 1e9);
  figures.add(attention.name() + "_of_fma_peak", "ratio", speed / peak);
  figures.add(attention.name() + "_two_core_scaling", "ratio", one.wall / two.wall);
  figures.add("timed_slowdown_" + attention.name(), "ratio", attention.run(timed).cpu / one.cpu);
  return {one, two};
}

// `one`: the same without.
void time_listeners(const Elapsed& one, TimedAttention& attention, Figures& figures) {
  const Elapsed with_checks = attention.run(checked), for_errors = attention.run(checked_for_errors);
  const Elapsed modelled = [&] {
    const TimingInForce timing("samples");
    return attention.run(one_thread);
  }();
  figures.add("hazard_checking_slowdown", "ratio", with_checks.cpu / one.cpu);
  figures.add("hazard_errors_slowdown", "ratio", for_errors.cpu / one.cpu);
  figures.add("model_instructions", "million/s", replayed_instructions() / (modelled.cpu - one.cpu) / 1e6);
}

void time_oracle(TimedOracle& oracle, const std::string& form, Figures& figures) {
  const Elapsed exact = oracle.exact(), audit = oracle.audit();
  figures.add("oracle_ns_" + form, "ns", 1e9 * exact.cpu / oracle.pairs());
  figures.add("audit_of_oracle_" + form, "ratio", audit.cpu / exact.cpu);
}

// `cure` of a case without a finding, over the same checks on the same cases under the same schedules: it makes no candidate.
void time_cure(Figures& figures) {
  const std::string text = "batch_prefill/h=8:1/sq=129/sk=513/d=128";
  const Implementation& implementation = find_implementation("baseline");
  const cure::CaseCureOptions options{
      "", mutation_schedules(6), cure::further_cases(implementation, text), {}};
  std::vector<cure::CuredFinding> findings;
  const Elapsed cured = elapsed([&] { findings = cure::cure_case(implementation, text, options); });
  if (!findings.empty())
    throw InvalidInput("bench", text, "must have no finding: " + as_line(findings.front()));
  const Elapsed checks_alone = elapsed([&] { // the device's options are those that cure_case has set
    ListedKernel listed{std::string(implementation.name()), "", "", {text}};
    std::ranges::copy(options.further, std::back_inserter(listed.problems));
    const auto subject = implementation_subject(listed);
    const auto check = [&](const std::string& schedule, size_t problem) {
      set_option("schedule", schedule);
      subject->run(problem);
      take_hazards();
    };
    for (const std::string& schedule : options.schedules) check(schedule, 0);
    for (size_t problem = 1; problem < subject->problems(); ++problem)
      check(options.schedules.front(), problem);
  });
  set_option("check", "none");
  figures.add("cure_without_finding", "ratio", cured.cpu / checks_alone.cpu);
}

// How much of torch's speed the device has: with one core by processor time, with two by wall time.
void compare_with_torch(const std::string& python, const TimedAttention& attention, const Elapsed& one,
                        const Elapsed& two, Figures& figures) {
  for (const TorchTime& torch : time_torch(python, attention.problem())) {
    const bool single = torch.threads == 1;
    const double theirs = single ? torch.elapsed.cpu : torch.elapsed.wall;
    const std::string name =
        fmt::format("torch_{}_{}_thread{}", torch.type, torch.threads, single ? "" : "s");
    figures.add(name, "GFLOP/s", attention.flops() / theirs / 1e9);
    figures.add(attention.name() + "_of_" + name, "ratio", theirs / (single ? one.cpu : two.wall));
  }
}

int bench(const BenchState& state) {
  if (!hip::runtime().embedded)
    throw InvalidInput("device", hip::runtime().device, "bench measures the embedded device; this is a GPU");
  std::vector<std::unique_ptr<TimedAttention>> attentions;
  for (const AttentionForm& form : forms_of(state)) {
    Problem problem = parse_case(form.case_string);
    workload::resolve_trace(problem);
    state.memory_limit.require(memory_of(problem, {.judged = false}));
    attentions.push_back(std::make_unique<TimedAttention>(form));
  }
  TimedAttention& first = *attentions.front();
  DeviceLoops loops;
  TimedOracle per_tensor(audited_shape + "tensor"), per_page(audited_shape + "page");
  Figures warm_up, rounds;
  // Each round measures everything, so that a host that slows down slows down all of it; figures are medians
  // of rounds.
  Progress progress(static_cast<size_t>(state.repeats) + 1);
  for (int round = 0; round <= state.repeats; ++round) {
    progress.start(round == 0 ? "warm-up" : fmt::format("round {}", round));
    Figures& figures = round == 0 ? warm_up : rounds;
    double flop = 0;
    const Elapsed host = elapsed([&] { flop = run_host_fma(fma_iterations); });
    const double peak = flop / host.cpu;
    figures.add("host_fma_peak", "GFLOP/s", peak / 1e9);
    // Attention before what has no setting of its own: the last one's stays in force.
    std::pair<Elapsed, Elapsed> of_first;
    for (const auto& attention : attentions) {
      const auto times = time_attention(peak, *attention, figures);
      if (attention.get() == &first) of_first = times;
    }
    if (!state.torch.empty())
      compare_with_torch(state.torch, first, of_first.first, of_first.second, figures);
    time_listeners(of_first.first, first, figures);
    time_oracle(per_tensor, "tensor", figures);
    time_oracle(per_page, "page", figures);
    time_loops(peak, loops, figures);
    time_overheads(loops, figures);
    time_cure(figures);
    progress.done();
  }
  progress.clear();
  fmt::print(stderr, "embedded device, host path {}, medians of {} rounds\n", host_simd_path(),
             state.repeats);
  for (const auto& attention : attentions) fmt::print(stderr, "{}\n", attention->text());
  rounds.print();
  fmt::print("rounds {} count\n", state.repeats);
  return 0;
}

} // namespace

void add_bench_command(Command program, int& exit_code) {
  auto state = std::make_shared<BenchState>();
  Command command = program.command("bench", "The embedded device's own speed, as ratios to the host's");
  const Option one_case = command.option("--case", state->attention_case,
                                         "Time this problem, not the usual ones in bf16 and both FP8 forms");
  command.option("--impl", state->implementation, "The implementation that is timed on it")
      .show_default()
      .needs(one_case);
  command.option("--repeats", state->repeats, "Rounds; figures are medians").positive().show_default();
  command.option("--torch", state->torch,
                 "A Python that has torch: its scaled_dot_product_attention on the CPU is timed in every "
                 "round, too (docs/harness.md)");
  add_options(command, state->memory_limit);
  command.run([state, &exit_code] { exit_code = bench(*state); });
}

} // namespace fmha950::harness
