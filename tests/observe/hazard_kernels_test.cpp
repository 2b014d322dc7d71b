// Each class of hazard on a real kernel: reported at its source line, under every schedule; the cured kernel
// is silent.
#include "emulator/loader/code_object.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/observe/engine.hpp"
#include "interface/hip.hpp"

#include "harness/output/source_path.hpp"
#include "tests/support/catch.hpp"
#include <cstring>
#include <fmt/format.h>
#include <fstream>

using namespace fmha950;
using observe::HazardClass;

namespace {

class Device {
 public:
  Device() : object_(hip::code_object("hazard_kernels")) {
    auto& space = machine::AddressSpace::device();
    out = static_cast<uint32_t*>(space.allocate(out_bytes));
    kernarg_ = space.allocate(512);
  }
  ~Device() {
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
  std::vector<observe::Report> run(const std::string& name, const char* schedule) {
    machine::Launch launch = launch_of(name);
    std::string error;
    REQUIRE(machine::parse_schedule(schedule, launch.options.schedule, error));
    auto& engine = observe::HazardEngine::get();
    engine.log().clear();
    engine.begin_launch(launch, observe::all_checks);
    launch.listener = &engine;
    try {
      machine::run(launch);
    } catch (const machine::Fault&) { // reported too
    }
    return engine.log().reports();
  }
  static constexpr size_t out_bytes = 65536;
  uint32_t* out;

 private:
  loader::CodeObject object_;
  void* kernarg_;
};

// The line of hazard_kernels.hip that ends in "HERE <class>".
std::string marked_line(const std::string& type) {
  std::ifstream file(source_path("tests/observe/hazard_kernels.hip"));
  int number = 1;
  for (std::string line; std::getline(file, line); ++number)
    if (line.ends_with("HERE " + type)) return fmt::format("hazard_kernels.hip:{}", number);
  return "no such line";
}

struct Case {
  HazardClass type;
  const char* missing; // part of it
};

} // namespace

TEST_CASE("every class of hazard is reported at its source line, and its cure is silent") {
  const Case cases[] = {
      {HazardClass::register_in_flight, "s_waitcnt vmcnt(0)"},
      {HazardClass::lds_order, "barrier"},
      {HazardClass::memory_order, ""},
      {HazardClass::uninitialised, ""},
      {HazardClass::out_of_bounds, ""},
      {HazardClass::misaligned, ""},
      {HazardClass::wait_states, "s_nop"},
      {HazardClass::barrier_divergence, "s_barrier"},
      {HazardClass::runaway, ""},
  };
  Device device;
  for (const Case& c : cases)
    for (const char* schedule : {"eager", "lazy", "random:1", "random:2,random:3"}) {
      const std::string name = observe::name_of(c.type);
      INFO(name << " under " << schedule);
      const auto reports = device.run(name + "_bad", schedule);
      std::string text;
      bool named = false;
      for (const auto& report : reports) {
        text += observe::as_text(report);
        named |= report.type == c.type &&
                 (report.later.source.ends_with(marked_line(name)) ||
                  report.earlier.source.ends_with(marked_line(name))) &&
                 report.missing.find(c.missing) != std::string::npos;
      }
      INFO(text);
      CHECK(named);
      const auto cured = device.run(name + "_good", schedule);
      for (const auto& report : cured) UNSCOPED_INFO(observe::as_text(report));
      CHECK(cured.empty());
    }
}

TEST_CASE("a barrier that the other wave never meets, an early exit, an end that orders LDS") {
  Device device;
  for (const char* schedule : {"eager", "lazy,starve:0", "lazy,starve:1"}) {
    INFO(schedule);
    const auto one_sided = device.run("one_sided_barrier", schedule);
    REQUIRE(one_sided.size() == 1);
    CHECK(one_sided[0].type == HazardClass::barrier_divergence);
    CHECK(device.run("early_exit", schedule).empty());
    for (const auto& report : device.run("end_orders_lds", schedule)) {
      INFO(observe::as_text(report));
      CHECK(report.type == HazardClass::barrier_divergence);
    }
  }
}

TEST_CASE("memory that the host frees during a launch has no order with what comes after") {
  Device device;
  machine::Launch launch = device.launch_of("memory_order_bad");
  auto& engine = observe::HazardEngine::get();
  engine.log().clear();
  engine.begin_launch(launch, 1u << static_cast<int>(HazardClass::memory_order));
  launch.listener = &engine;
  const bool freed = GENERATE(true, false);
  for (uint32_t workgroup : {0, 1}) { // of one launch
    const std::vector<uint32_t> only = {workgroup};
    launch.only = &only;
    machine::run(launch);
    if (freed) engine.released(device.out, Device::out_bytes);
  }
  CHECK(engine.log().reports().empty() == freed);
}

TEST_CASE("lanes that a descriptor clamps are counted, and no hazard") {
  Device device;
  auto& engine = observe::HazardEngine::get();
  engine.clamped().clear();
  CHECK(device.run("clamped_tail", "eager").empty());
  const std::string text = engine.clamped().text();
  INFO(text);
  CHECK(text.find("clamped_tail +0x") == 0);
  CHECK(text.find("buffer_store_dword") != std::string::npos);
  CHECK(text.find(": 48 lanes clamped\n") != std::string::npos);
}

TEST_CASE("a use after the release is told as such") {
  auto& space = machine::AddressSpace::device();
  auto* freed = static_cast<uint32_t*>(space.allocate(4096));
  space.release(freed);
  INFO(space.describe(reinterpret_cast<uint64_t>(freed) + 12));
  CHECK(space.describe(reinterpret_cast<uint64_t>(freed) + 12).find("which was freed") != std::string::npos);
  CHECK(space.find(reinterpret_cast<uint64_t>(freed)).end == 0);
}
