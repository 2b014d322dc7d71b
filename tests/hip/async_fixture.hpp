#pragma once
// Kernels that run until the test lets them end.

#include "tests/hip/client_calls.hpp"
#include "tests/hip/fixture.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

// What must not hang ends the program after a time that is long for any machine.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::minutes(5), [&] { return done_; })) return;
    std::fprintf(stderr, "a test of asynchronous launches hangs\n");
    std::abort();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

class Stream {
 public:
  explicit Stream(unsigned flags = 0) { REQUIRE(hipStreamCreateWithFlags(&stream_, flags) == 0); }
  ~Stream() { hipStreamDestroy(stream_); }
  void* get() const { return stream_; }

 private:
  void* stream_ = nullptr;
};
inline void* const per_thread_stream = reinterpret_cast<void*>(2);

class Event {
 public:
  Event() { REQUIRE(hipEventCreate(&event_) == 0); }
  ~Event() { hipEventDestroy(event_); }
  void* get() const { return event_; }

 private:
  void* event_ = nullptr;
};

// An int that host and device share.
class Flag {
 public:
  explicit Flag(bool managed = false) : managed_(managed) {
    REQUIRE((managed ? hipMallocManaged(&pointer_, 4, 1) : hipHostMalloc(&pointer_, 4, 0)) == 0);
    set(0);
  }
  ~Flag() { managed_ ? hipFree(pointer_) : hipHostFree(pointer_); }
  void* get() const { return pointer_; }
  void set(int value) { reference().store(value); }
  int value() const { return reference().load(); }
  void wait() const {
    while (value() == 0) std::this_thread::yield();
  }

 private:
  std::atomic_ref<int> reference() const { return std::atomic_ref<int>(*static_cast<int*>(pointer_)); }
  bool managed_;
  void* pointer_ = nullptr;
};

// The test kernels, launched in streams.
class Launcher {
 public:
  int relay(void* in, void* out, void* stream) const {
    void* parameters[] = {&in, &out};
    return launch_one(relay_, stream, parameters);
  }
  int relay_by_loads(void* in, void* out, void* stream) const {
    void* parameters[] = {&in, &out};
    return launch_one(relay_by_loads_, stream, parameters);
  }
  int count(void* counter, void* stream) const { return launch_with(counter, stream, count_); }
  int store_to(void* address, void* stream) const { return launch_with(address, stream, store_to_); }

 private:
  static int launch_with(void* pointer, void* stream, void* kernel) {
    void* parameters[] = {&pointer};
    return launch_one(kernel, stream, parameters);
  }
  static int launch_one(void* function, void* stream, void** parameters) {
    return hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
  }

  const Module module_;
  void* const relay_ = module_.kernel("relay");
  void* const relay_by_loads_ = module_.kernel("relay_by_loads");
  void* const count_ = module_.kernel("count");
  void* const store_to_ = module_.kernel("store_to");
};
