#pragma once
// What a speed is held against: the peak of the matrix units, and what others measured.

#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"
#include "interface/problem.hpp"
#include "numerics/target.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmha950::harness {

// What the GPU's matrix units could do for a case: the same peak for what is modelled and what is measured. Matrix
// FLOPs per clock of the whole GPU (mfma_gfx950.md section 5.1: 32x32x64 with 8-bit operands takes 16
// passes of 4 clocks, 32x32x16 in 16 bits 8 passes): of 8 bits only if Q and KV are, or KV are in 4.
inline double matrix_flops_per_clock(const Problem& problem) {
  using namespace timing;
  constexpr double simds = 1.0 * simds_per_cu * target.compute_units();
  constexpr double of_16_bits = 2.0 * 32 * 32 * 16 / (8 * clocks_per_pass),
                   of_8_bits = 2.0 * 32 * 32 * 64 / (16 * clocks_per_pass);
  const bool small = element_bits(problem.query_type) == 8 && element_bits(problem.kv_type) <= 8;
  return simds * (small ? of_8_bits : of_16_bits);
}

// How far another laboratory, or another part, may be from a published figure of the same object: two laboratories published 1,291
// and 1,417 to 1,438 TFLOP/s, and parts of one node differ by as much (docs/hardware/clock_and_calibration.md [M]). Nobody says
// whether both add, so each figure has it once.
inline constexpr double laboratory_spread = 0.10;

// Figures that others measured on a MI355X, by case (data/measured): shown beside ours as what they are,
// never in one column with modelled ones.
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
