#pragma once
// Figures that others measured on a MI355X, by case (data/measured): shown beside ours as what they are,
// never in one column with modelled ones.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmha950::harness {

// How far another laboratory, or another part, may be from a published figure of the same object: two laboratories published 1,291
// and 1,417 to 1,438 TFLOP/s, and parts of one node differ by as much (docs/hardware/clock_and_calibration.md [M]). Nobody says
// whether both add, so each figure has it once.
inline constexpr double laboratory_spread = 0.10;

class MeasuredElsewhere {
 public:
  MeasuredElsewhere(); // throws InvalidInput when the table cannot be read
  struct Figure {
    std::string kernel; // "seed V2"
    double teraflops = 0;
  };
  // The figures for a canonical case string; none for most.
  const std::vector<Figure>& of(std::string_view case_string) const;

 private:
  std::map<std::string, std::vector<Figure>, std::less<>> figures_;
};

} // namespace fmha950::harness
