#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/perf/calibration.hpp"
#include "harness/perf/clock_forms.hpp"
#include "harness/perf/external_calibration.hpp"
#include "harness/silicon/energy.hpp"
#include "harness/silicon/silicon_check.hpp"
#include "interface/error.hpp"
#include "interface/hip.hpp"
#include "interface/outcome.hpp"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace fmha950::harness {

namespace {

template <class Results> void print_and_keep(const Results& results, const std::string& runs) {
  print(results, stdout);
  if (!runs.empty()) write_measured_launches(measured_launches(results), runs);
}

void print_measured(const std::string& file) {
  const SiliconCheck check = read_silicon_check(file);
  print_answers(check, stdout);
  print_energy(check, stdout);
}

struct Attribute {
  const char* name;
  int id; // hipDeviceAttribute_t of hip_runtime_api.h, the same in HIP 5.2 to 7
};
constexpr std::array<Attribute, 5> attributes{{{"compute units", 63},
                                               {"wave size", 87},
                                               {"LDS per workgroup, bytes", 74},
                                               {"clock, kHz", 5},
                                               {"threads per block", 56}}};

void print_device() {
  const hip::Runtime& runtime = hip::runtime();
  fmt::print("{:<26} {}\n", "device", runtime.device);
  fmt::print("{:<26} {}\n", "library", runtime.library);
  fmt::print("{:<26} {}\n", "kind",
             runtime.embedded ? "embedded device: times are its own, not the hardware's" : "GPU");
  int version = 0;
  hip::check(hip::api().DriverGetVersion(&version), "hipDriverGetVersion");
  fmt::print("{:<26} {}\n", "driver version", version);
  for (const Attribute& attribute : attributes) {
    int value = 0;
    hip::check(hip::api().DeviceGetAttribute(&value, attribute.id, runtime.ordinal), "hipDeviceGetAttribute");
    fmt::print("{:<26} {}\n", attribute.name, value);
  }
  size_t free = 0, total = 0;
  hip::check(hip::api().MemGetInfo(&free, &total), "hipMemGetInfo");
  fmt::print("{:<26} {} of {} GiB free\n", "memory", free >> 30, total >> 30);
}

std::string read_code_object(const char* option, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InvalidInput(option, path, error ? error.message() : "must be a file: a gfx950 code object");
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw InvalidInput(option, path, "cannot be read");
  return bytes;
}

constexpr const char* whole_target = "gfx950"; // what --coverage without a file is about

void print_coverage(const std::string& file) {
  if (hip::api().Coverage == nullptr)
    throw InvalidInput("device", hip::runtime().device, "--coverage needs the embedded device");
  if (file == whole_target) {
    fmt::print("{}", hip::api().Coverage());
    return;
  }
  const std::string bytes = read_code_object("--coverage", file);
  const char* text = nullptr;
  if (hip::api().FileCoverage(bytes.data(), bytes.size(), &text) != 0)
    throw InvalidInput("--coverage", file, hip::api().LastErrorDetail());
  fmt::print("{}", text);
}

struct LoopsOption {
  std::string file;
  unsigned waves_per_simd = 1;
};

void print_loops(const LoopsOption& option) {
  if (hip::api().LoopCost == nullptr)
    throw InvalidInput("device", hip::runtime().device, "--loops needs the embedded device");
  const std::string bytes = read_code_object("--loops", option.file);
  const char* text = nullptr;
  if (hip::api().LoopCost(bytes.data(), bytes.size(), option.waves_per_simd, &text) != 0)
    throw InvalidInput("--loops", option.file, hip::api().LastErrorDetail());
  fmt::print("{}", text);
}

struct CheckOption {
  std::string file, kernel;
  bool json = false;
};

// Returns the exit code.
int print_check(const CheckOption& option) {
  if (hip::api().Check == nullptr)
    throw InvalidInput("device", hip::runtime().device, "--check needs the embedded device");
  const std::string bytes = read_code_object("--check", option.file);
  const char* text = nullptr;
  unsigned errors = 0;
  if (hip::api().Check(bytes.data(), bytes.size(), option.kernel.c_str(), option.json ? "json" : "text",
                       &text, &errors) != 0)
    throw InvalidInput("--check", option.file, hip::api().LastErrorDetail());
  fmt::print("{}", text);
  return errors ? exit_code(OutcomeKind::hazard) : 0;
}

} // namespace

void add_device_command(Command program, int& exit_code) {
  Command command = program.command("device", "The device in use");
  command.footer("The launcher ./fmha950 has two more (docs/without_gpu.md):\n"
                 "  device rocm-path   Folder for ROCM_PATH, whose tools answer for the embedded device\n"
                 "  device doctor      What is wrong with a set-up");
  auto coverage = std::make_shared<std::string>();
  const Option coverage_option =
      command
          .option(
              "--coverage", *coverage,
              "gfx950 opcodes that LLVM knows and which the embedded device implements; of a code object: "
              "which of its opcodes are exact, approximate or missing")
          .values(0, 1)
          .default_text(whole_target);
  auto loops = std::make_shared<LoopsOption>();
  const Option loops_option =
      command.option("--loops", loops->file,
                     "A gfx950 code object's loops and what an iteration of each costs every unit, modelled");
  loops_option.excludes(coverage_option);
  command.option("--waves-per-simd", loops->waves_per_simd, "With --loops: waves that share each SIMD")
      .range(1, 8)
      .show_default()
      .needs(loops_option);
  auto check = std::make_shared<CheckOption>();
  const Option check_option =
      command
          .option(
              "--check", check->file,
              "A gfx950 code object's kernels on all paths, without running them: registers in flight, wait "
              "states, superfluous waits (docs/static_check.md)")
          .excludes(coverage_option)
          .excludes(loops_option);
  command.option("--kernel", check->kernel, "With --check: this kernel alone").needs(check_option);
  command.flag("--json", check->json, "With --check: lines of JSON").needs(check_option);
  auto largest = std::make_shared<int>(0);
  const Option calibration_option = command
                                        .option("--calibration", *largest,
                                                "The cycle model against published micro-benchmarks and "
                                                "GEMMs, with its errors (docs/timing.md); "
                                                "GEMM sizes up to this one")
                                        .values(0, 1)
                                        .default_text("16384")
                                        .range(1024, 16384)
                                        .excludes(coverage_option)
                                        .excludes(loops_option)
                                        .excludes(check_option);
  auto external = std::make_shared<std::string>();
  const Option external_option =
      command
          .option(
              "--external", *external,
              "With --calibration: the cycle model against your measurements of code objects in this folder, "
              "whose "
              "rows.csv tells what was launched; without a folder: the columns of rows.csv")
          .values(0, 1)
          .needs(calibration_option);
  auto clock = std::make_shared<bool>(false);
  const Option clock_option = command
                                  .flag("--clock", *clock,
                                        "With --calibration: the law of the clock, fitted again to "
                                        "data/calibration, and what it is worth")
                                  .needs(calibration_option);
  auto measured = std::make_shared<std::string>();
  command
      .option("--measured", *measured,
              "With --calibration: what `silicon-check` has written of a GPU: answers to what sources leave "
              "open, and the law "
              "of the clock fitted to it (docs/silicon_check.md)")
      .needs(calibration_option)
      .excludes(external_option)
      .excludes(clock_option);
  auto assumptions = std::make_shared<std::vector<std::string>>();
  add_assume_option(command, *assumptions).needs(calibration_option);
  auto runs = std::make_shared<std::string>();
  command
      .option("--runs", *runs,
              "With --calibration: the clocks and busy shares of what was measured, as data/calibration has "
              "them, into this file")
      .needs(calibration_option);
  Command path = command.command("path", "Folder of the embedded device's libamdhip64, for LD_LIBRARY_PATH");
  Command watched =
      command.command("watch", "PROGRAM ARGS...: runs a HIP program on the embedded device under all hazard "
                               "checks, or those of FMHA950_CHECK (docs/hazards.md)");
  watched.takes_the_rest();
  const DeviceRunCommand foreign(command);
  const DeviceTimingsCommand timings(command);
  command.run([command, coverage, loops, check, largest, external, clock, measured, assumptions, runs, path,
               watched, foreign, timings, &exit_code] {
    exit_code = 0;
    if (timings.named()) return timings.run();
    if (foreign.named()) {
      exit_code = foreign.run();
      return;
    }
    if (watched.named()) {
      const std::vector<std::string> program = watched.rest();
      if (program.empty())
        throw InvalidInput("device watch", "", "must be followed by a program and its arguments");
      exit_code = watch(program);
      return;
    }
    if (path.named())
      fmt::print("{}\n", embedded_device_folder().string());
    else if (!coverage->empty())
      print_coverage(*coverage);
    else if (!measured->empty())
      print_measured(*measured);
    else if (*clock)
      exit_code = print_clock_fit(read_measured_data(), stdout) ? 0 : 1;
    else if (command.given("--external") && external->empty())
      print_external_format(stdout);
    else if (!external->empty())
      print_and_keep(model_external(*external, *assumptions), *runs);
    else if (*largest > 0)
      print_and_keep(calibrate(*largest, *assumptions), *runs);
    else if (!loops->file.empty())
      print_loops(*loops);
    else if (!check->file.empty())
      exit_code = print_check(*check);
    else
      print_device();
  });
}

} // namespace fmha950::harness
