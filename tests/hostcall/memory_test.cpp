// malloc and free in kernels.
#include "tests/hostcall/device.hpp"
#include "tests/support/schedules.hpp"

namespace {

constexpr int malloc_heap_size = 2;
constexpr size_t no_limit = 288ull << 30;

size_t limit() {
  size_t bytes = 0;
  REQUIRE(hipDeviceGetLimit(&bytes, malloc_heap_size) == 0);
  return bytes;
}

} // namespace

TEST_CASE("device malloc: memory of each lane is its own, under every schedule") {
  const HostcallModule module;
  for (const char* schedule : fmha950::test::memory_orders) {
    INFO(schedule);
    REQUIRE(fmha950SetOption("schedule", schedule) == 0);
    REQUIRE(fmha950SetOption("check", "all") == 0);
    REQUIRE(fmha950ClearHazards() == 0);
    DeviceWords<uint64_t> out(128);
    REQUIRE(module.launch("allocates", 2, 64, out.get(), uint64_t{256}) == 0);
    for (uint64_t item = 0; item < 128; ++item) CHECK(out.values()[item] == 64 * (item + 1));
    CHECK(std::string(fmha950Hazards("text")).empty());
  }
}

TEST_CASE("device malloc: a word that nobody wrote is reported") {
  const HostcallModule module;
  REQUIRE(fmha950SetOption("check", "all") == 0);
  REQUIRE(fmha950ClearHazards() == 0);
  DeviceWords<uint32_t> out(1);
  REQUIRE(module.launch("reads_unwritten", 1, 64, out.get()) == 0);
  CHECK_THAT(fmha950Hazards("text"), Catch::Contains("uninitialised"));
}

TEST_CASE("device malloc: memory outlives its launch, and is freed by another") {
  const HostcallModule module;
  DeviceWords<uint64_t> out(1);
  REQUIRE(module.launch("keeps", 1, 64, out.get(), uint64_t{4096}) == 0);
  const uint64_t address = out.values()[0];
  REQUIRE(address != 0);
  CHECK(module.launch("frees", 1, 64, address) == 0);
  CHECK(module.launch("frees", 1, 64, address) != 0);
  CHECK_THAT(fmha950LastFault(),
             Catch::StartsWith("free of 0x") && Catch::Contains("kernel frees, workgroup (0, 0, 0)"));
}

TEST_CASE("device malloc: the limit is obeyed") {
  hipDeviceReset(); // gives back what other tests keep
  const HostcallModule module;
  CHECK(limit() == 8 << 20);
  REQUIRE(hipDeviceSetLimit(malloc_heap_size, 64 * 256) == 0);
  CHECK(limit() == 64 * 256);
  DeviceWords<uint64_t> out(64);
  REQUIRE(module.launch("allocates", 1, 64, out.get(), uint64_t{256}) == 0);
  CHECK(out.values()[63] == 64 * 64);
  REQUIRE(module.launch("allocates", 1, 64, out.get(), uint64_t{512}) == 0); // room for half the lanes
  int without = 0;
  for (const uint64_t sum : out.values()) without += sum == 0;
  CHECK(without == 32);
  REQUIRE(hipDeviceSetLimit(malloc_heap_size, no_limit) == 0);
  REQUIRE(module.launch("allocates", 1, 64, out.get(), uint64_t{512}) == 0);
  CHECK(out.values()[0] != 0);
}

TEST_CASE("device limits: those that there are not are refused") {
  size_t value = 0;
  CHECK(hipDeviceGetLimit(&value, 0) == 215); // hipErrorUnsupportedLimit
  CHECK(hipDeviceSetLimit(3, 1) == 215);
  CHECK(hipDeviceGetLimit(nullptr, malloc_heap_size) == 1);
  CHECK(hipDeviceSetLimit(1, size_t{1} << 40) == 1);
}
