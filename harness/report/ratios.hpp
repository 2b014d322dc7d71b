#pragma once
// Ratios of two implementations, over the cases of both.

#include "harness/perf/modelled_time.hpp"
#include "harness/report/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fmha950::harness {

class GeometricMean {
 public:
  void add(double ratio) {
    logarithms_ += std::log(ratio);
    least_ = count_ == 0 ? ratio : std::min(least_, ratio);
    ++count_;
  }
  double value() const { return std::exp(logarithms_ / count_); } // of one ratio at least
  double least() const { return least_; }
  int count() const { return count_; }

 private:
  double logarithms_ = 0, least_ = 0;
  int count_ = 0;
};

// How many times as fast one is as the other.
class SpeedRatios {
 public:
  void add(const std::string& name, const std::string& other, double ratio) {
    ratios_[{name, other}].add(ratio);
  }
  void print(std::FILE* out, const char* what) const {
    for (const auto& [names, ratio] : ratios_)
      print_result_line(out, fmt::format("{} / {}, {}: geometric mean {:.3f}, least {:.3f}, of {} cases",
                                         names.first, names.second, what, ratio.value(), ratio.least(),
                                         ratio.count()));
  }

 private:
  std::map<std::pair<std::string, std::string>, GeometricMean> ratios_;
};

// The same of modelled speeds, whose ends are known. Who is ahead is said of the ends of the mean.
class ModelledRatios {
 public:
  void add(const std::string& name, const std::string& other, Speed speed) {
    ratios_[{name, other}].push_back(std::move(speed));
  }
  void print(std::FILE* out, const char* what) const {
    for (const auto& [names, speeds] : ratios_) {
      const Range mean = mean_of(speeds);
      double least = INFINITY;
      for (const Speed& speed : speeds) least = std::min(least, speed.by_world.front().second);
      print_result_line(out,
                        fmt::format("{} / {}, {}: geometric mean {:.3f} ({}: {}), least {:.3f}, of {} cases",
                                    names.first, names.second, what, mean.best, ends_of(mean, 3),
                                    verdict_of(mean), least, speeds.size()));
    }
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<Speed>> ratios_;
};

} // namespace fmha950::harness
