// What goes wrong while launches run, and what other threads take away from them.
#include "tests/hip/async_fixture.hpp"

TEST_CASE("async faults: a launch succeeds, the next call that waits fails, and the device stops") {
  const Watchdog watchdog;
  const Launcher launcher;
  Flag never, out, counter;
  const Stream polling(1), faulting(1);
  int status = -1;
  void* bytes = nullptr;
  REQUIRE(hipMalloc(&bytes, 64) == 0);
  REQUIRE(launcher.relay(never.get(), out.get(), polling.get()) == 0); // ends, because the device does
  REQUIRE(launcher.store_to(static_cast<char*>(bytes) + 64, faulting.get()) == 0);
  CHECK(hipStreamSynchronize(faulting.get()) == launch_failure);
  CHECK_THAT(detail(), Catch::Contains("kernel store_to") && Catch::Contains("kernels.hip:") &&
                           Catch::Contains("0 bytes past the end of allocation"));
  CHECK(hipGetLastError() == launch_failure);
  CHECK(launcher.count(counter.get(), faulting.get()) == launch_failure);
  CHECK(hipStreamQuery(polling.get()) == launch_failure);
  CHECK(fmha950ClearFault() == 0); // waits for what is being stopped
  CHECK(hipDeviceSynchronize() == 0);
  CHECK(out.value() == 0);
  CHECK(counter.value() == 0);
  CHECK(launcher.count(counter.get(), faulting.get()) == 0);
  CHECK(hipStreamAddCallback(
            faulting.get(), [](void*, int code, void* to) { *static_cast<int*>(to) = code; }, &status, 0) ==
        0);
  CHECK(hipStreamSynchronize(faulting.get()) == 0);
  CHECK(counter.value() == 1);
  CHECK(status == 0);
  hipFree(bytes);
}

TEST_CASE("async faults: what stands behind a fault is dropped, but its callbacks hear of it") {
  const Watchdog watchdog;
  const Launcher launcher;
  Flag go, out, counter;
  int status = -1;
  const Stream stream;
  void* bytes = nullptr;
  REQUIRE(hipMalloc(&bytes, 64) == 0);
  REQUIRE(launcher.relay(go.get(), out.get(), stream.get()) == 0);
  REQUIRE(launcher.store_to(static_cast<char*>(bytes) + 64, stream.get()) == 0);
  REQUIRE(launcher.count(counter.get(), stream.get()) == 0);
  REQUIRE(hipStreamAddCallback(
              stream.get(), [](void*, int code, void* to) { *static_cast<int*>(to) = code; }, &status, 0) ==
          0);
  go.set(1);
  CHECK(hipDeviceSynchronize() == launch_failure);
  CHECK(out.value() == 1);
  CHECK(counter.value() == 0);
  CHECK(status == launch_failure);
  CHECK(fmha950ClearFault() == 0);
  hipFree(bytes);
}

TEST_CASE("async faults: memory that another stream frees beside a launch is a fault that says so") {
  const Watchdog watchdog;
  const char* const schedule = GENERATE("timed", "eager");
  REQUIRE(fmha950SetOption("schedule", schedule) == 0);
  const Launcher launcher;
  Flag out;
  const Stream running(1), freeing(1);
  void* polled = nullptr;
  REQUIRE(hipMalloc(&polled, 64) == 0);
  REQUIRE(launcher.relay(polled, out.get(), running.get()) == 0);
  REQUIRE(hipFreeAsync(polled, freeing.get()) == 0);
  CHECK(hipStreamSynchronize(running.get()) == launch_failure);
  CHECK_THAT(detail(), Catch::Contains("which was freed") && Catch::Contains("kernel relay"));
  CHECK(fmha950ClearFault() == 0);
  REQUIRE(fmha950SetOption("schedule", "timed") == 0);
}

TEST_CASE("async faults: freeing and unloading wait for launches of other threads") {
  const Watchdog watchdog;
  const Launcher launcher;
  Flag go, out;
  void *memory = nullptr, *module = nullptr, *function = nullptr;
  REQUIRE(hipMalloc(&memory, 64) == 0);
  REQUIRE(hipModuleLoad(&module, CODE_OBJECTS "/hip_kernels_v6.co") == 0);
  REQUIRE(hipModuleGetFunction(&function, module, "relay") == 0);
  const Stream stream(1);
  void *in = go.get(), *to = out.get();
  void* parameters[] = {&in, &to};
  REQUIRE(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream.get(), parameters, nullptr) == 0);
  const bool unload = GENERATE(true, false);
  int code = -1, seen = -1;
  std::thread other([&] {
    code = unload ? hipModuleUnload(module) : hipFree(memory);
    seen = out.value();
  });
  go.set(1);
  other.join();
  CHECK(code == 0);
  CHECK(seen == 1);
  CHECK(hipDeviceSynchronize() == 0);
  if (unload)
    CHECK(hipFree(memory) == 0);
  else
    CHECK(hipModuleUnload(module) == 0);
}

TEST_CASE("async faults: threads that launch while another loads, frees and unloads", "[threads]") {
  const Watchdog watchdog;
  const Launcher launcher;
  Flag counter;
  std::atomic<bool> done = false;
  std::atomic<int> launched = 0, wrong = 0;
  std::atomic<void*> current = nullptr;
  std::thread launching([&] {
    void* pointer = counter.get();
    void* parameters[] = {&pointer};
    while (!done) {
      const int code =
          hipModuleLaunchKernel(current, 1, 1, 1, 1, 1, 1, 0, per_thread_stream, parameters, nullptr);
      launched += code == 0;
      wrong += code != 0 && code != invalid_handle;
    }
    wrong += hipStreamSynchronize(per_thread_stream) != 0;
  });
  for (int i = 0; i < 20; ++i) {
    void *module = nullptr, *function = nullptr, *memory = nullptr;
    wrong += hipModuleLoad(&module, CODE_OBJECTS "/hip_kernels_v6.co") != 0;
    wrong += hipModuleGetFunction(&function, module, "count") != 0;
    wrong += hipMalloc(&memory, 64) != 0;
    const int before = launched;
    current = function;
    while (launched == before && !wrong) std::this_thread::yield();
    current = nullptr;
    wrong += hipFree(memory) != 0;
    wrong += hipModuleUnload(module) != 0;
  }
  done = true;
  launching.join();
  CHECK(wrong == 0);
  CHECK(counter.value() == launched);
}

TEST_CASE("async faults: a reset ends what runs") {
  const Watchdog watchdog;
  const Launcher launcher;
  void *never = nullptr, *stream = nullptr;
  REQUIRE(hipMalloc(&never, 64) == 0);
  REQUIRE(hipStreamCreate(&stream) == 0);
  int value = 0; // beside memory that the reset frees
  REQUIRE(hipHostRegister(&value, sizeof value, 0) == 0);
  REQUIRE(launcher.relay(never, &value, stream) == 0);
  CHECK(hipDeviceReset() == 0);
  CHECK(value == 0);
  CHECK(std::string(fmha950LastFault()).empty());
  CHECK(hipStreamSynchronize(stream) == invalid_handle);
  CHECK(hipDeviceSynchronize() == 0);
}
