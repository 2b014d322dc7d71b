#include "harness/commands/commands.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/device/watch.hpp"
#include "harness/perf/calibration.hpp"
#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>

namespace fmha950::harness {

namespace {

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

void print_coverage() {
  if (hip::api().Coverage == nullptr)
    throw InvalidInput("device", hip::runtime().device, "--coverage needs the embedded device");
  fmt::print("{}", hip::api().Coverage());
}

struct LoopsOption {
  std::string file;
  unsigned waves_per_simd = 1;
};

void print_loops(const LoopsOption& option) {
  if (hip::api().LoopCost == nullptr)
    throw InvalidInput("device", hip::runtime().device, "--loops needs the embedded device");
  std::error_code error;
  if (!std::filesystem::is_regular_file(option.file, error))
    throw InvalidInput("--loops", option.file,
                       error ? error.message() : "must be a file: a gfx950 code object");
  std::ifstream file(option.file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw InvalidInput("--loops", option.file, "cannot be read");
  const char* text = nullptr;
  if (hip::api().LoopCost(bytes.data(), bytes.size(), option.waves_per_simd, &text) != 0)
    throw InvalidInput("--loops", option.file, hip::api().LastErrorDetail());
  fmt::print("{}", text);
}

} // namespace

void add_device_command(Command program, int& exit_code) {
  Command command = program.command("device", "The device in use");
  auto coverage = std::make_shared<bool>(false);
  const Option coverage_option = command.flag(
      "--coverage", *coverage, "gfx950 opcodes that LLVM knows and which the embedded device implements");
  auto loops = std::make_shared<LoopsOption>();
  const Option loops_option =
      command.option("--loops", loops->file,
                     "A gfx950 code object's loops and what an iteration of each costs every unit, modelled");
  loops_option.excludes(coverage_option);
  command.option("--waves-per-simd", loops->waves_per_simd, "With --loops: waves that share each SIMD")
      .range(1, 8)
      .show_default()
      .needs(loops_option);
  auto largest = std::make_shared<int>(0);
  command
      .option(
          "--calibration", *largest,
          "The cycle model against published micro-benchmarks and GEMMs, with its errors (docs/timing.md); "
          "GEMM sizes up to this one")
      .values(0, 1)
      .default_text("16384")
      .range(1024, 16384)
      .excludes(coverage_option)
      .excludes(loops_option);
  Command path = command.command("path", "Folder of the embedded device's libamdhip64, for LD_LIBRARY_PATH");
  Command watched =
      command.command("watch", "PROGRAM ARGS...: runs a HIP program on the embedded device under all hazard "
                               "checks, or those of FMHA950_CHECK (docs/hazards.md)");
  watched.takes_the_rest();
  command.run([coverage, loops, largest, path, watched, &exit_code] {
    if (watched.named()) {
      const std::vector<std::string> program = watched.rest();
      if (program.empty())
        throw InvalidInput("device watch", "", "must be followed by a program and its arguments");
      exit_code = watch(program);
      return;
    }
    if (path.named())
      fmt::print("{}\n", embedded_device_folder().string());
    else if (*coverage)
      print_coverage();
    else if (*largest > 0)
      print(calibrate(*largest), stdout);
    else if (!loops->file.empty())
      print_loops(*loops);
    else
      print_device();
    exit_code = 0;
  });
}

} // namespace fmha950::harness
