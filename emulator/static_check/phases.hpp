#pragma once
// What other waves may execute while an operation is in flight: where the waves of a workgroup meet at each barrier
// (uniform_ways.hpp), they are in one phase, between the same barriers.

#include "emulator/static_check/common_values.hpp"
#include "emulator/static_check/flights.hpp"

#include <optional>

namespace fmha950::static_check {

class Phases {
 public:
  Phases(const Code& code, const CommonValues& common);

  struct Beside {
    std::vector<bool> instructions;
    std::vector<size_t> arriving; // stores of device memory that may be in flight when these phases begin
  };
  // From the phase of `later`, where the operations are in flight, to the barrier behind which they are complete; if `later`
  // is a barrier itself, from there on. Nothing if waves do not meet.
  std::optional<Beside> beside(const Flights& flights, size_t later, const Steps& steps) const;

 private:
  bool is_barrier(size_t index) const;
  std::vector<size_t> begins_of_phase(size_t index) const;
  void add_phase(size_t begin, Beside& beside) const;

  const Code& code_;
  bool meet_;
  std::vector<std::vector<size_t>> before_;    // by block: those from which it is reached
  std::vector<std::vector<size_t>> stores_at_; // by barrier: stores that may be in flight at it
};

} // namespace fmha950::static_check
