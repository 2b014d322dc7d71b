#pragma once
// How long something takes, and the medians of several rounds.

#include "numerics/median.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

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

// Figures of several rounds: a line `name median unit` each, in the order in which they came first.
class Figures {
 public:
  void add(const std::string& name, const char* unit, double value) {
    auto known = std::ranges::find(figures_, name, &Figure::name);
    if (known == figures_.end()) known = figures_.insert(known, {name, unit, {}});
    known->values.push_back(value);
  }
  void print() const {
    for (const Figure& figure : figures_)
      fmt::print("{} {:.4g} {}\n", figure.name, numerics::median(figure.values), figure.unit);
  }

 private:
  struct Figure {
    std::string name, unit;
    std::vector<double> values;
  };
  std::vector<Figure> figures_;
};

} // namespace fmha950::harness
