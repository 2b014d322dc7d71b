#include "harness/commands/commands.hpp"
#include "harness/device/embedded_device.hpp"
#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <fmt/format.h>
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
  int version = 0, ordinal = 0;
  hip::check(hip::api().DriverGetVersion(&version), "hipDriverGetVersion");
  fmt::print("{:<26} {}\n", "driver version", version);
  for (const Attribute& attribute : attributes) {
    int value = 0;
    hip::check(hip::api().DeviceGetAttribute(&value, attribute.id, ordinal), "hipDeviceGetAttribute");
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

} // namespace

void add_device_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("device", "The device in use");
  auto coverage = std::make_shared<bool>(false);
  command->add_flag("--coverage", *coverage,
                    "gfx950 opcodes that LLVM knows and which the embedded device implements");
  CLI::App* path =
      command->add_subcommand("path", "Folder of the embedded device's libamdhip64, for LD_LIBRARY_PATH");
  command->callback([coverage, path, &exit_code] {
    if (path->parsed())
      fmt::print("{}\n", embedded_device_folder().string());
    else if (*coverage)
      print_coverage();
    else
      print_device();
    exit_code = 0;
  });
}

} // namespace fmha950::harness
