#pragma once
// Loops over all cores with std::thread. Not oneTBB: ThreadSanitizer cannot see the synchronisation inside
// Debian's libtbb.so, which is not instrumented, and reports every result that is handed from one thread to
// another as a race.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fmha950::numerics {

/// Calls work() on `threads` threads, the caller's among them, and returns when all have. The first exception
/// is rethrown.
template <class Work> void run_on_threads(int64_t threads, const Work& work) {
  std::exception_ptr failure;
  std::mutex mutex;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int64_t i = 1; i < threads; ++i) others.emplace_back(guarded);
    guarded();
  }
  if (failure) std::rethrow_exception(failure);
}

/// Calls body(i) for every i in [0, count), in no particular order.
template <class Body> void parallel_for(int64_t count, const Body& body) {
  const int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  const int64_t chunk = std::max<int64_t>(1, count / (16 * cores));
  std::atomic<int64_t> next = 0;
  run_on_threads(std::min(cores, count), [&] {
    for (int64_t begin; (begin = next.fetch_add(chunk)) < count;)
      for (int64_t i = begin; i < std::min(begin + chunk, count); ++i) body(i);
  });
}

} // namespace fmha950::numerics
