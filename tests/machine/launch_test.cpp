// Launches of small real kernels: ids, barriers, calls, scratch, faults, and results that depend on neither
// threads nor schedules.
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/fault.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include <bit>
#include <cmath>
#include <cstring>
#include <set>

using namespace fmha950;

namespace {

class Device {
 public:
  explicit Device(const char* code_object = "machine_kernels") : object_(hip::code_object(code_object)) {
    auto& space = machine::AddressSpace::device();
    out = static_cast<uint32_t*>(space.allocate(out_words * 4));
    kernarg_ = static_cast<std::byte*>(space.allocate(512));
  }
  ~Device() {
    machine::AddressSpace::device().release(out);
    machine::AddressSpace::device().release(kernarg_);
  }
  void run(const char* name, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
           uint32_t second = 0) {
    const loader::Kernel* kernel = object_.find_kernel(name);
    REQUIRE(kernel);
    std::memcpy(kernarg_, &out, sizeof out);
    std::memcpy(kernarg_ + sizeof out, &second, sizeof second);
    launch.kernel = kernel;
    launch.kernarg = reinterpret_cast<uint64_t>(kernarg_);
    std::copy(grid.begin(), grid.end(), launch.grid);
    std::copy(block.begin(), block.end(), launch.block);
    const test::ScheduledPacer pacer(launch);
    machine::run(launch);
  }
  static constexpr size_t out_words = 1 << 16;
  uint32_t* out;
  machine::Launch launch;

 private:
  loader::CodeObject object_;
  std::byte* kernarg_;
};

machine::Schedule schedule(const char* text) {
  machine::Schedule result;
  std::string error;
  REQUIRE(machine::parse_schedule(text, result, error));
  return result;
}

} // namespace

TEST_CASE("every work-item of a three-dimensional launch knows its place") {
  Device device;
  device.run("ids", {5, 3, 2}, {40, 3, 2});
  size_t wrong = 0;
  for (uint32_t workgroup = 0; workgroup < 30; ++workgroup)
    for (uint32_t item = 0; item < 240; ++item) {
      const uint32_t x = item % 40, y = item / 40 % 3, z = item / 120;
      const uint32_t expected =
          workgroup % 5 | workgroup / 5 % 3 << 4 | workgroup / 15 << 8 | x << 12 | y << 20 | z << 24;
      wrong += device.out[workgroup * 240 + item] != expected;
    }
  CHECK(wrong == 0);
}

TEST_CASE("a launch restricted to chosen workgroups runs only those") {
  Device device;
  const std::vector<uint32_t> only = {7, 2};
  device.launch.only = &only;
  device.run("group_sum", {10, 1, 1}, {512, 1, 1});
  for (uint32_t workgroup = 0; workgroup < 10; ++workgroup)
    CHECK(device.out[workgroup] == (workgroup == 7 || workgroup == 2 ? 131328 : 0));
}

TEST_CASE("barriers order LDS under every schedule and any number of threads") {
  for (const char* text : test::schedules)
    for (int threads : {1, 2}) {
      CAPTURE(text, threads);
      Device device;
      device.launch.options.schedule = schedule(text);
      device.launch.options.threads = threads;
      device.run("group_sum", {16, 1, 1}, {512, 1, 1});
      for (uint32_t workgroup = 0; workgroup < 16; ++workgroup)
        REQUIRE(device.out[workgroup] == 512 * 513 / 2);
    }
}

TEST_CASE("memory operations of a wave that stands at a barrier or polls take effect") {
  for (const char* text : test::schedules)
    for (const uint32_t sleeps : {0, 1}) {
      CAPTURE(text, sleeps);
      Device device;
      device.launch.options.schedule = schedule(text);
      device.launch.options.instruction_budget = 1 << 20;
      device.run("flag_without_wait", {1, 1, 1}, {128, 1, 1}, sleeps);
      CHECK(device.out[0] == 5);
    }
}

TEST_CASE("a wave's place is possible, and drawn under random schedules only") {
  constexpr uint32_t groups = 20, waves = 16;
  const auto places = [](const char* text) {
    Device device;
    device.launch.options.schedule = schedule(text);
    device.run("places", {groups, 1, 1}, {64 * waves, 1, 1});
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (uint32_t i = 0; i < groups * waves; ++i) all.emplace_back(device.out[2 * i], device.out[2 * i + 1]);
    return all;
  };
  const auto fixed = places("eager");
  for (const char* text : test::schedules) {
    CAPTURE(text);
    const auto all = places(text);
    for (uint32_t group = 0; group < groups; ++group) {
      std::set<uint32_t> slots, simds, cus, chiplets;
      for (uint32_t wave = 0; wave < waves; ++wave) {
        const auto [hw_id, xcc_id] = all[group * waves + wave];
        slots.insert(hw_id & 0x3F);
        simds.insert(hw_id >> 4 & 3);
        cus.insert(hw_id >> 8);
        chiplets.insert(xcc_id);
        REQUIRE(xcc_id < 8);
        REQUIRE((hw_id & 15) < 8);
        REQUIRE((hw_id >> 8 & 15) < 8);
        REQUIRE((hw_id >> 13 & 7) < 4);
      }
      CHECK(slots.size() == waves);
      CHECK(simds.size() == 4);
      CHECK(cus.size() == 1);
      CHECK(chiplets.size() == 1);
    }
    const bool random = std::string(text).find(':') != std::string::npos &&
                        std::string(text).find("starve") == std::string::npos;
    CHECK((all != fixed) == random);
    CHECK(all == places(text));
  }
}

TEST_CASE("functions are called, scratch holds private arrays, ended waves leave the barrier") {
  for (const char* text : test::schedules) {
    CAPTURE(text);
    Device device;
    device.launch.options.schedule = schedule(text);
    device.run("calls", {1, 1, 1}, {100, 1, 1});
    CHECK(device.out[26] == 111); // Collatz: 27 takes 111 steps
    CHECK(device.out[96] == 118); // and 97 takes 118
    device.run("near_call", {1, 1, 1}, {64, 1, 1});
    CHECK(device.out[63] == 42);
    device.run("scratch", {1, 1, 1}, {64, 1, 1}, 5);
    for (uint32_t t = 0; t < 64; ++t)
      REQUIRE(device.out[t] == t % 32 * 13 % 32 * 1000 + t); // 13 = 1/5 mod 32
    device.run("early_exit", {1, 1, 1}, {256, 1, 1});
    for (uint32_t t = 0; t < 128; ++t) REQUIRE(device.out[t] == 7);
  }
}

TEST_CASE("faults name kernel, workgroup, wave, instruction and source line, under every schedule") {
  using Catch::Contains;
  for (const char* text : test::schedules) {
    CAPTURE(text);
    Device device;
    device.launch.options.schedule = schedule(text);
    CHECK_THROWS_WITH(device.run("stray_write", {1, 1, 1}, {64, 1, 1}),
                      Contains("stray_write") && Contains("global_store") && Contains("kernels.hip:"));
    CHECK_THROWS_WITH(device.run("traps", {4, 1, 1}, {64, 1, 1}),
                      Contains("s_trap 2") && Contains("workgroup (0, 0, 0), wave 0"));
    device.launch.options.instruction_budget = 10000;
    CHECK_THROWS_WITH(device.run("runaway", {1, 1, 1}, {64, 1, 1}),
                      Contains("the budget is 10000") && Contains("runaway"));
  }
}

TEST_CASE("a kernel runs in the MODE it was compiled for, and in the MODEs that it sets on the way") {
  // Flushing, clang turns denormals on within the division and off again.
  for (const bool flushes : {false, true}) {
    Device device(flushes ? "machine_flushing_kernels" : "machine_kernels");
    const auto flushed = [flushes](float x) {
      return flushes && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
    };
    const float values[] = {1, -10, 0x1p-149f, 0x1.8p-127f, -0x1.8p-125f, 0x1.4p-126f, 0, 0x1.fffffep127f};
    std::memcpy(device.out, values, sizeof values);
    device.run("divide", {1, 1, 1}, {std::size(values), 1, 1}, std::bit_cast<uint32_t>(3.0f));
    for (size_t i = 0; i < std::size(values); ++i) {
      CAPTURE(flushes, values[i]);
      CHECK(device.out[i] == std::bit_cast<uint32_t>(flushed(flushed(values[i]) / 3)));
    }
  }
}
