// The hazard engine while host threads use device memory together:
// for the sanitizers that CI runs it under (.ci/run).
#include "emulator/observe/engine.hpp"
#include "emulator/observe/initialised/initialised_memory.hpp"

#include "tests/support/catch.hpp"

#include <latch>
#include <thread>
#include <vector>

using namespace fmha950;

TEST_CASE("launches, copies and frees of several host threads", "[threads]") {
  constexpr size_t bytes = 16384;
  constexpr int rounds = 2000;
  auto& engine = observe::HazardEngine::get();
  std::vector<char> host(bytes), device(bytes), other(bytes); // stand for device memory: only addresses count
  engine.log().clear();
  const machine::Launch launch;
  std::latch start(3); // or one is done before the next one runs
  const auto launches = [&] {
    start.arrive_and_wait();
    for (int i = 0; i < rounds; ++i) engine.begin_launch(launch, i % 2 ? observe::all_checks : 0);
  };
  const auto copies = [&] {
    start.arrive_and_wait();
    for (int i = 0; i < rounds; ++i) {
      engine.allocated(device.data(), bytes);
      engine.host_wrote(device.data(), bytes);
      engine.copied(host.data(), device.data(), bytes); // all of it was written
      engine.copied(other.data() + 8, device.data(), 4097);
      engine.host_wrote(other.data() + 1, bytes - 2);
    }
  };
  const auto frees = [&] {
    start.arrive_and_wait();
    for (int i = 0; i < rounds; ++i) {
      engine.allocated(other.data(), bytes);
      engine.released(other.data(), bytes);
      engine.unloading({});
    }
  };
  std::thread first(launches), second(copies), third(frees);
  first.join();
  second.join();
  third.join();
  engine.released(device.data(), bytes);
  CHECK(engine.log().reports().empty());
}

TEST_CASE("a launch goes on while the host frees memory that the launch used", "[threads]") {
  constexpr uint64_t begin = 0x8000'0000'0000, bytes = 16384;
  constexpr int rounds = 2000;
  observe::DeviceInitialised device;
  device.allocated(begin, begin + bytes);
  std::latch start(2);
  std::thread host([&] {
    start.arrive_and_wait();
    for (int i = 0; i < rounds; ++i) {
      device.released(begin);
      device.allocated(begin, begin + bytes);
    }
  });
  observe::MemoryView view(device);
  start.arrive_and_wait();
  for (int i = 0; i < rounds; ++i) {
    view.start(0, 0); // as every workgroup does
    for (uint64_t at = 0; at < bytes; at += 64) view.write(begin + at, 64, 0, 4, nullptr);
  }
  host.join();
  CHECK(device.find(begin)->end() == begin + bytes);
}
