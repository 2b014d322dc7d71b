#pragma once
// What each wave of one workgroup executed between its barriers: how many instructions of each unit, and for
// how long these occupy the unit by the modelled rates of emulator/timing. A wave's n-th barrier is the
// workgroup's n-th, so the intervals of all waves are the same ones.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/listener.hpp"
#include "emulator/rates/instruction_use.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace fmha950::observe {

// Written FILE[,WORKGROUP]: where the lines go, and the linear id (x fastest) of the workgroup,
// 0 if it is not given.
struct TracePlace {
  std::string file;
  uint32_t workgroup = 0;
};
// False, and `error` says what would be right.
bool parse_trace(std::string_view text, TracePlace& place, std::string& error);

class Trace final : public machine::Listener {
 public:
  Trace(const machine::Launch& launch, uint32_t workgroup) : launch_(launch), workgroup_(workgroup) {}
  std::unique_ptr<machine::WorkgroupListener> join() override;

  // Once the launch is over. JSON lines, one for each wave, interval and unit, in this order; "" if the
  // workgroup was not executed. "clocks" is modelled: the SIMD's clocks for matrix, valu and transcendental,
  // the compute unit's for lds, and the issue slots for the others.
  std::string lines() const;

 private:
  class Listener;
  struct Total {
    int64_t instructions = 0, clocks = 0;
  };
  const machine::Launch& launch_;
  uint32_t workgroup_;
  // By wave, interval and unit. One host thread executes the workgroup.
  std::map<std::tuple<int, int, std::string_view>, Total> totals_;
};

} // namespace fmha950::observe
