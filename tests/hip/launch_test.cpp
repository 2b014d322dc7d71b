// What kernels see of a launch, and launches that are refused.
#include "tests/hip/fixture.hpp"

#include <cstring>
#include <thread>

namespace {

struct Mixed { // as in kernels.hip
  char a;
  double b;
  short c;
};

const std::vector<double> expected_arguments = {-3, 1 << 20, 7, 2.5, -9, 1ll << 40, 11};

template <class T> T at(const std::vector<int>& words, size_t byte) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(words.data()) + byte, sizeof value);
  return value;
}

} // namespace

TEST_CASE("arguments by kernelParams, code object versions 5 and 6") {
  const Module module(GENERATE("v5", "v6"));
  const DeviceArray<double> out(7);
  REQUIRE(launch(module.kernel("arguments"), {1, 1, 1}, {1, 1, 1}, 0, out.get(), char{-3}, 1 << 20,
                 Mixed{7, 2.5, -9}, 1ll << 40) == 0);
  CHECK(out.values() == expected_arguments);
}

TEST_CASE("arguments by the extra buffer") {
  const Module module;
  const DeviceArray<double> out(7);
  struct {
    void* out;
    char a = -3;
    int b = 1 << 20;
    Mixed c = {7, 2.5, -9};
    long d = 1ll << 40;
  } buffer{out.get()};
  size_t bytes = sizeof buffer;
  void* extra[] = {reinterpret_cast<void*>(1), &buffer, reinterpret_cast<void*>(2), &bytes,
                   reinterpret_cast<void*>(3)};
  void* function = module.kernel("arguments");
  REQUIRE(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra) == 0);
  CHECK(out.values() == expected_arguments);
  bytes = 40;
  CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra) == invalid_value);
  CHECK(detail() == "extra buffer has 40 bytes: the arguments of kernel arguments need 48");
  CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == invalid_value);
  CHECK(detail() == "kernelParams is null: kernel arguments takes an argument of 8 bytes here");
}

// Offsets: machine_gfx950.md section 5.3, from compiler output.
TEST_CASE("hidden arguments") {
  const Module module(GENERATE("v5", "v6"));
  const DeviceArray<int> out(64);
  REQUIRE(launch(module.kernel("hidden_arguments"), {3, 2, 1}, {64, 4, 1}, 256, out.get()) == 0);
  const auto words = out.values();
  CHECK(at<uint32_t>(words, 0) == 3);
  CHECK(at<uint32_t>(words, 4) == 2);
  CHECK(at<uint32_t>(words, 8) == 1);
  CHECK(at<uint16_t>(words, 12) == 64);
  CHECK(at<uint16_t>(words, 14) == 4);
  CHECK(at<uint16_t>(words, 16) == 1);
  for (size_t byte = 18; byte < 24; byte += 2) CHECK(at<uint16_t>(words, byte) == 0);
  for (size_t byte = 40; byte < 64; byte += 8) CHECK(at<uint64_t>(words, byte) == 0);
  CHECK(at<uint16_t>(words, 64) == 2);
  CHECK(at<uint32_t>(words, 120) == 256);
}

// Layout: machine_gfx950.md section 5.4.
TEST_CASE("dispatch packet") {
  const Module module;
  const DeviceArray<int> out(16);
  REQUIRE(launch(module.kernel("dispatch_packet"), {5, 1, 2}, {64, 2, 1}, 1024, out.get()) == 0);
  const auto words = out.values();
  CHECK(at<uint16_t>(words, 0) == 2);
  CHECK(at<uint16_t>(words, 2) == 3);
  CHECK(at<uint16_t>(words, 4) == 64);
  CHECK(at<uint16_t>(words, 6) == 2);
  CHECK(at<uint32_t>(words, 12) == 320);
  CHECK(at<uint32_t>(words, 16) == 2);
  CHECK(at<uint32_t>(words, 20) == 2);
  CHECK(at<uint32_t>(words, 28) == 1024);
}

TEST_CASE("dynamic LDS lies behind static LDS, up to 160 KiB") {
  const Module module;
  void* function = module.kernel("lds");
  const int n = (163840 - 512) / 4;
  const DeviceArray<int> out(n);
  REQUIRE(launch(function, {1, 1, 1}, {64, 1, 1}, n * 4, out.get(), n) == 0);
  const auto values = out.values();
  for (int i = 0; i < n; ++i) REQUIRE(values[i] == i * 3 + i % 64);
  CHECK(launch(function, {1, 1, 1}, {64, 1, 1}, 200000, out.get(), n) == invalid_value);
  CHECK(detail() == "dynamic LDS = 200000: static 512 + dynamic must be at most 163840 bytes");
  CHECK(launch(function, {1, 1, 1}, {64, 1, 1}, 163329, out.get(), n) == invalid_value);
}

TEST_CASE("launches beyond the limits") {
  const Module module;
  void* function = module.kernel("store_to");
  const DeviceArray<int> out(1);
  const auto refused = [&](HipDim3 grid, HipDim3 block, int code, const char* text) {
    CHECK(launch(function, grid, block, 0, out.get()) == code);
    CHECK(detail() == text);
  };
  refused({0, 1, 1}, {64, 1, 1}, invalid_configuration, "gridDim.x = 0: must be at least 1");
  refused({1, 1, 1}, {64, 0, 1}, invalid_configuration, "blockDim.y = 0: must be at least 1");
  refused({1, 1, 1}, {1025, 1, 1}, invalid_configuration,
          "block of 1025 x 1 x 1 work-items: must be at most 1024");
  refused({1, 1, 1}, {65536, 65536, 1}, invalid_configuration,
          "block of 65536 x 65536 x 1 work-items: must be at most 1024");
  refused({1u << 31, 1, 1}, {64, 1, 1}, invalid_configuration,
          "gridDim.x * blockDim.x = 137438953472: must be below 2^32 work-items");
  function = module.kernel("bounded");
  refused({1, 1, 1}, {65, 1, 1}, launch_failure,
          "block of 65 x 1 x 1 work-items: kernel bounded was compiled for at most 64");
  CHECK(launch(function, {1, 1, 1}, {64, 1, 1}, 0, out.get()) == 0); // a refusal is no fault
  CHECK(hipModuleLaunchKernel(&function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == invalid_handle);
}

TEST_CASE("hipExtModuleLaunchKernel counts work-items") {
  const Module module;
  void* function = module.kernel("mark_workgroup");
  const DeviceArray<int> out(4);
  void* pointer = out.get();
  int columns = 4;
  void* parameters[] = {&pointer, &columns};
  REQUIRE(hipExtModuleLaunchKernel(function, 192, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr, nullptr,
                                   nullptr, 0) == 0);
  CHECK(out.values() == std::vector<int>{1, 1, 1, 0});
  CHECK(hipExtModuleLaunchKernel(function, 100, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr, nullptr,
                                 nullptr, 0) == invalid_configuration);
  CHECK(detail() == "globalWorkSizeX = 100: must be a multiple of localWorkSizeX = 64");
}

TEST_CASE("a restricted launch executes the chosen workgroups, once") {
  const Module module;
  void* function = module.kernel("mark_workgroup");
  const DeviceArray<int> out(12);
  const uint32_t chosen[] = {1, 6, 11};
  REQUIRE(fmha950RestrictNextLaunch(chosen, 3) == 0);
  REQUIRE(launch(function, {4, 3, 1}, {64, 1, 1}, 0, out.get(), 4) == 0);
  CHECK(out.values() == std::vector<int>{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  REQUIRE(launch(function, {4, 3, 1}, {64, 1, 1}, 0, out.get(), 4) == 0);
  CHECK(out.values() == std::vector<int>{1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2});
  const uint32_t beyond = 12;
  REQUIRE(fmha950RestrictNextLaunch(&beyond, 1) == 0);
  CHECK(launch(function, {4, 3, 1}, {64, 1, 1}, 0, out.get(), 4) == invalid_value);
  CHECK(detail() == "restricted workgroup 12: the launch has 12 workgroups");
  CHECK(fmha950RestrictNextLaunch(nullptr, 0) == invalid_value);
}

TEST_CASE("the work of a launch's workgroups is that of all, and of the next launch alone") {
  const Module module;
  void* function = module.kernel("mark_workgroup");
  const DeviceArray<int> out(12);
  const uint32_t work[12] = {};
  REQUIRE(fmha950WorkOfNextLaunch(work, 12) == 0);
  CHECK(launch(function, {4, 3, 1}, {64, 1, 1}, 0, out.get(), 4) == 0);
  REQUIRE(fmha950WorkOfNextLaunch(work, 11) == 0);
  CHECK(launch(function, {4, 3, 1}, {64, 1, 1}, 0, out.get(), 4) == invalid_value);
  CHECK(detail() == "work of 11 workgroups: the launch has 12");
  CHECK(launch(function, {4, 3, 1}, {64, 1, 1}, 0, out.get(), 4) == 0);
  CHECK(fmha950WorkOfNextLaunch(nullptr, 0) == invalid_value);
}

TEST_CASE("a fault is sticky until it is cleared or the device is reset") {
  const Module module;
  void* function = module.kernel("store_to");
  const bool reset = GENERATE(false, true);
  void* bytes = nullptr;
  REQUIRE(hipMalloc(&bytes, 64) == 0);
  CHECK(launch(function, {1, 1, 1}, {1, 1, 1}, 0, static_cast<char*>(bytes) + 64) == 0);
  CHECK(hipDeviceSynchronize() == launch_failure);
  const std::string fault = fmha950LastFault();
  INFO(fault);
  CHECK_THAT(fault, Catch::Contains("store_to") && Catch::Contains("kernels.hip:"));
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == launch_failure);
  CHECK(hipMemset(bytes, 0, 64) == launch_failure);
  CHECK(hipDeviceSynchronize() == launch_failure);
  CHECK_THAT(detail(), Catch::Contains("hipDeviceReset") && Catch::Contains(fault));
  CHECK(launch(function, {1, 1, 1}, {1, 1, 1}, 0, bytes) == launch_failure);
  CHECK((reset ? hipDeviceReset() : fmha950ClearFault()) == 0);
  CHECK(std::string(fmha950LastFault()).empty());
  CHECK(hipMemset(bytes, 0, 64) == (reset ? invalid_value : 0)); // a reset frees memory
  if (!reset) CHECK(launch(function, {1, 1, 1}, {1, 1, 1}, 0, bytes) == 0);
  CHECK(hipFree(bytes) == (reset ? invalid_value : 0));
}

TEST_CASE("launches from several host threads all take effect") {
  const Module module;
  void* function = module.kernel("count");
  const DeviceArray<int> counter(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 8; ++i) launch(function, {2, 1, 1}, {64, 1, 1}, 0, counter.get());
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(counter.values()[0] == 4 * 8 * 128);
}
