#pragma once
// How long something takes.

#include <chrono>
#include <ctime>
#include <utility>

namespace fmha950::harness {

struct Elapsed {
  double wall = 0; // seconds
  double cpu = 0;  // seconds of all cores that this process used: speed per core, whatever else the host does
};

template <class Body> Elapsed elapsed(Body&& body) {
  const auto cpu_seconds = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double cpu = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  std::forward<Body>(body)();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {wall.count(), cpu_seconds() - cpu};
}

} // namespace fmha950::harness
