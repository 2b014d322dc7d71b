// Launches run beside the host and beside each other, in the order of streams and events.
#include "tests/hip/async_fixture.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_CASE("async: host and kernel talk through memory while the kernel runs") {
  const Watchdog watchdog;
  // To a thread sanitizer only atomics of the device are atomic, and only under schedules that keep no old bytes.
#if __has_feature(thread_sanitizer)
  const std::string schedule = GENERATE("timed", "eager");
  const bool by_loads = false;
#else
  const std::string schedule = GENERATE("timed", "eager", "lazy", "random:1");
  const bool by_loads = GENERATE(false, true);
#endif
  REQUIRE(fmha950SetOption("schedule", schedule.c_str()) == 0);
  const bool managed = GENERATE(false, true);
  const Launcher launcher;
  Flag in(managed), out(managed);
  const Stream stream;
  const Event event;
  REQUIRE((by_loads ? launcher.relay_by_loads(in.get(), out.get(), stream.get())
                    : launcher.relay(in.get(), out.get(), stream.get())) == 0);
  REQUIRE(hipEventRecord(event.get(), stream.get()) == 0);
  CHECK(hipStreamQuery(stream.get()) == not_ready);
  CHECK(hipEventQuery(event.get()) == not_ready);
  CHECK(out.value() == 0);
  in.set(7);
  out.wait();
  CHECK(out.value() == 7);
  CHECK(hipStreamSynchronize(stream.get()) == 0);
  CHECK(hipStreamQuery(stream.get()) == 0);
  CHECK(hipEventQuery(event.get()) == 0);
  REQUIRE(fmha950SetOption("schedule", "timed") == 0);
}

TEST_CASE("async: kernels of two streams run at once, whatever follows them") {
  const Watchdog watchdog;
  const char* const option = GENERATE("threads", "check", "timing", "trace", "paths");
  const std::string name = option;
  const auto set = [&](const char* value) { REQUIRE(fmha950SetOption(option, value) == 0); };
  set(name == "threads" ? "1"
      : name == "check" ? "all"
      : name == "paths" ? "1"
      : name == "trace" ? "/dev/null"
                        : "samples");
  {
    const Launcher launcher;
    Flag in, between, out;
    const Stream first, second;
    in.set(3);
    REQUIRE(launcher.relay(between.get(), out.get(), first.get()) == 0);
    REQUIRE(launcher.relay(in.get(), between.get(), second.get()) == 0);
    CHECK(hipDeviceSynchronize() == 0);
    CHECK(out.value() == 3);
    const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
    if (name == "check") CHECK(std::string(fmha950Hazards("text")).empty());
    if (name == "timing") CHECK(lines(fmha950Timings()) == 2);
    if (name == "paths") CHECK(lines(fmha950Paths()) >= 2); // at least one of each launch
  }
  set(name == "threads" ? "2"
      : name == "check" ? "none"
      : name == "paths" ? "0"
      : name == "trace" ? ""
                        : "off");
}

TEST_CASE("async: blocking streams and the null stream wait for each other, others for nobody") {
  const Watchdog watchdog;
  const Launcher launcher;
  Flag in, out, counter, free_counter;
  const Stream blocking, independent(1);
  void* const streams[] = {nullptr, blocking.get(), per_thread_stream};
  void* const first = streams[GENERATE(0, 1, 2)];
  REQUIRE(launcher.relay(in.get(), out.get(), first) == 0);
  int waiting = 0;
  for (void* stream : streams)
    if (stream != first && (!first || !stream)) {
      REQUIRE(launcher.count(counter.get(), stream) == 0);
      CHECK(hipStreamQuery(stream) == not_ready);
      ++waiting;
    }
  REQUIRE(launcher.count(free_counter.get(), independent.get()) == 0);
  CHECK(hipStreamSynchronize(independent.get()) == 0);
  CHECK(free_counter.value() == 1);
  CHECK(counter.value() == 0);
  in.set(1);
  CHECK(hipDeviceSynchronize() == 0);
  CHECK(out.value() == 1);
  CHECK(counter.value() == waiting);
}

TEST_CASE("async: the null stream of a _spt function is the thread's own") {
  using LaunchHost = int (*)(void*, void (*)(void*), void*);
  using Query = int (*)(void*);
  using MemcpyAsync = int (*)(void*, const void*, size_t, int, void*);
  using Memset = int (*)(void*, int, size_t);
  const auto launch_host = reinterpret_cast<LaunchHost>(dlsym(RTLD_DEFAULT, "hipLaunchHostFunc_spt"));
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "hipStreamQuery_spt"));
  const auto synchronise = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "hipStreamSynchronize_spt"));
  const auto copy_async = reinterpret_cast<MemcpyAsync>(dlsym(RTLD_DEFAULT, "hipMemcpyAsync_spt"));
  const auto set = reinterpret_cast<Memset>(dlsym(RTLD_DEFAULT, "hipMemset_spt"));
  REQUIRE((launch_host && query && synchronise && copy_async && set));
  const Watchdog watchdog;
  Flag from, to; // to free one waits for all streams
  std::atomic<int> allowed = 0;
  const auto wait = [](void* flag) {
    while (*static_cast<std::atomic<int>*>(flag) == 0) std::this_thread::yield();
  };
  REQUIRE(launch_host(nullptr, wait, &allowed) == 0);
  int wrong = 0, pinned_value = 0;
  std::thread([&] { // its stream does not wait for that of this thread
    from.set(5);
    wrong += copy_async(to.get(), from.get(), sizeof(int), 3, nullptr) != 0;
    wrong += synchronise(nullptr) != 0 || query(nullptr) != 0;
    pinned_value = to.value();
    wrong += set(to.get(), 1, sizeof(int)) != 0 || to.value() != 0x01010101;
  })
      .join();
  CHECK(wrong == 0);
  CHECK(pinned_value == 5);
  CHECK(query(nullptr) == not_ready);
  allowed = 1;
  CHECK(synchronise(nullptr) == 0);
  CHECK(query(nullptr) == 0);
}

TEST_CASE("async: a stream waits for an event of another, and times are there when it is reached") {
  const Watchdog watchdog;
  const Launcher launcher;
  Flag in, out, copy;
  const Stream first, second;
  const Event begin, end;
  float milliseconds = -1;
  CHECK(hipEventQuery(end.get()) == 0); // never recorded
  REQUIRE(hipEventRecord(begin.get(), first.get()) == 0);
  REQUIRE(launcher.relay(in.get(), out.get(), first.get()) == 0);
  REQUIRE(hipEventRecord(end.get(), first.get()) == 0);
  REQUIRE(hipStreamWaitEvent(second.get(), end.get(), 0) == 0);
  REQUIRE(hipMemcpyAsync(copy.get(), out.get(), 4, 4, second.get()) == 0);
  REQUIRE(hipMemsetAsync(out.get(), 2, 4, second.get()) == 0);
  CHECK(hipEventQuery(begin.get()) == 0);
  CHECK(hipEventElapsedTime(&milliseconds, begin.get(), end.get()) == not_ready);
  CHECK(hipStreamQuery(second.get()) == not_ready);
  in.set(5);
  CHECK(hipEventSynchronize(end.get()) == 0);
  CHECK(hipEventElapsedTime(&milliseconds, begin.get(), end.get()) == 0);
  CHECK(milliseconds >= 0);
  CHECK(hipStreamSynchronize(second.get()) == 0);
  CHECK(copy.value() == 5);
  CHECK(out.value() == 0x02020202);
}

namespace {

void set_flag(void* flag) { static_cast<Flag*>(flag)->set(9); }
void note_status(void*, int status, void* to) { *static_cast<int*>(to) = status; }

} // namespace

TEST_CASE("async: functions of the host and graphs have their turn in a stream, also when it is destroyed") {
  const Watchdog watchdog;
  const Launcher launcher;
  Flag in, out, counter;
  int status = -1;
  {
    const Stream stream;
    void *graph = nullptr, *executable = nullptr;
    REQUIRE(hipStreamBeginCapture(stream.get(), 0) == 0);
    REQUIRE(launcher.relay(in.get(), out.get(), stream.get()) == 0);
    REQUIRE(launcher.count(counter.get(), stream.get()) == 0);
    REQUIRE(hipStreamEndCapture(stream.get(), &graph) == 0);
    REQUIRE(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0) == 0);
    REQUIRE(hipGraphDestroy(graph) == 0);
    REQUIRE(hipLaunchHostFunc(stream.get(), set_flag, &in) == 0);
    REQUIRE(hipGraphLaunch(executable, stream.get()) == 0);
    REQUIRE(hipGraphExecDestroy(executable) == 0);
    REQUIRE(hipStreamAddCallback(stream.get(), note_status, &status, 0) == 0);
  }
  CHECK(hipDeviceSynchronize() == 0);
  CHECK(out.value() == 9);
  CHECK(counter.value() == 1);
  CHECK(status == 0);
}

TEST_CASE("async: any thread may choose the device and launch") {
  const Watchdog watchdog;
  const Launcher launcher;
  Flag counter;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      wrong += hipSetDevice(0) != 0;
      wrong += hipSetDevice(1) != invalid_device;
      for (int i = 0; i < 4; ++i) wrong += launcher.count(counter.get(), per_thread_stream) != 0;
      wrong += hipStreamSynchronize(per_thread_stream) != 0;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(counter.value() == 12);
}

TEST_CASE("async: a process that was forked launches with workers of its own") {
  alarm(300); // a watchdog's thread would make it a fork of several threads, which sanitizers refuse
  const Launcher launcher;
  const DeviceArray<int> counter(1);
  REQUIRE(launcher.count(counter.get(), nullptr) == 0);
  REQUIRE(hipDeviceSynchronize() == 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(300); // which is not inherited
    int value = 0;
    const bool right = launcher.count(counter.get(), nullptr) == 0 &&
                       hipMemcpy(&value, counter.get(), 4, to_host) == 0 && value == 2;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  REQUIRE(launcher.count(counter.get(), nullptr) == 0);
  CHECK(counter.values()[0] == 2);
  alarm(0);
}
