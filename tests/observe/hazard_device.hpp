#pragma once
// Runs kernels of a code object under all hazard checks.

#include "emulator/loader/code_object.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/observe/engine.hpp"
#include "emulator/observe/report/finding.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/source_path.hpp"
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace fmha950::test {

class HazardDevice {
 public:
  explicit HazardDevice(const char* kernels) : object_(hip::code_object(kernels)) {
    auto& space = machine::AddressSpace::device();
    out = static_cast<uint32_t*>(space.allocate(out_bytes));
    kernarg_ = space.allocate(512);
  }
  HazardDevice(const HazardDevice&) = delete;
  ~HazardDevice() {
    machine::AddressSpace::device().release(out);
    machine::AddressSpace::device().release(kernarg_);
  }
  machine::Launch launch_of(const std::string& name) {
    machine::Launch launch;
    launch.kernel = object_.find_kernel(name);
    REQUIRE(launch.kernel);
    std::memset(out, 0, out_bytes);
    std::memcpy(kernarg_, &out, sizeof out);
    launch.kernarg = reinterpret_cast<uint64_t>(kernarg_);
    launch.grid[0] = 2;
    launch.block[0] = 128;
    launch.options.instruction_budget = 100'000;
    launch.options.threads = 1; // what races on the device would race between host threads, too
    return launch;
  }
  std::vector<observe::Report> run(machine::Launch& launch, const char* schedule,
                                   uint32_t checks = observe::all_checks) {
    std::string error;
    REQUIRE(machine::parse_schedule(schedule, launch.options.schedule, error));
    auto& engine = observe::HazardEngine::get();
    engine.log().clear();
    const auto listener = engine.begin_launch(launch, checks);
    launch.listener = listener.get();
    const ScheduledPacer pacer(launch);
    try {
      machine::run(launch);
    } catch (const machine::Fault&) { // reported too
    }
    return engine.log().reports();
  }
  std::vector<observe::Report> run(const std::string& name, const char* schedule) {
    machine::Launch launch = launch_of(name);
    return run(launch, schedule);
  }
  static constexpr size_t out_bytes = 65536;
  uint32_t* out;

 private:
  loader::CodeObject object_;
  void* kernarg_;
};

// The line of a source file beside the tests that ends in "HERE <name>".
inline std::string marked_line(const std::string& file, const std::string& name) {
  std::ifstream lines(source_path("tests/observe/" + file));
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number)
    if (line.ends_with("HERE " + name)) return fmt::format("{}:{}", file, number);
  return "no such line";
}

inline std::string text_of(const std::vector<observe::Report>& reports) {
  std::string text;
  for (const observe::Finding& finding : observe::findings_of(reports)) text += observe::as_text(finding);
  return text;
}

} // namespace fmha950::test
