#pragma once
// The mean clock of the compute units between two moments of a stream, as nvbench measures it: a kernel of
// one wave before and after reads a counter of clocks and one of constant rate.

#include "interface/hip.hpp"

#include <cstdint>
#include <optional>

namespace fmha950::harness {

struct ClockStamp { // as clock_stamp.hip writes it
  uint64_t clocks = 0, ticks = 0, chiplet = 0;
};
inline constexpr double ticks_per_second = 100e6; // of s_memrealtime: machine_gfx950.md section 1.2 [D]

// None if the two are of different chiplets, whose counters are not the same, or too near each other.
std::optional<double> hertz_between(const ClockStamp& first, const ClockStamp& second);

class ClockStamps {
 public:
  ClockStamps();
  void begin() { stamp(0); }
  void end() { stamp(1); }
  std::optional<double> hertz() const; // waits for the device

 private:
  void stamp(size_t index);
  hip::Kernel kernel_;
  hip::Buffer stamps_;
};

} // namespace fmha950::harness
