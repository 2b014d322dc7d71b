#pragma once
// Figures of several rounds: a line `name median unit` each, in the order in which they came first.

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace fmha950::harness {

class Figures {
 public:
  void add(const std::string& name, const char* unit, double value) {
    auto known = std::ranges::find(figures_, name, &Figure::name);
    if (known == figures_.end()) known = figures_.insert(known, {name, unit, {}});
    known->values.push_back(value);
  }
  void print() const {
    for (const Figure& figure : figures_)
      fmt::print("{} {:.4g} {}\n", figure.name, median(figure.values), figure.unit);
  }

 private:
  struct Figure {
    std::string name, unit;
    std::vector<double> values;
  };
  static double median(std::vector<double> values) {
    std::ranges::sort(values);
    const size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }
  std::vector<Figure> figures_;
};

} // namespace fmha950::harness
