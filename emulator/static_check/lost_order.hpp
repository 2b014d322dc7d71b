#pragma once
// Which order of memory may be lost where an operation is still in flight: towards other waves, or between two
// queues of its own.

#include "emulator/static_check/lds_ranges.hpp"
#include "emulator/static_check/linear_values.hpp"
#include "emulator/static_check/phases.hpp"
#include "emulator/static_check/workgroup_order.hpp"

namespace fmha950::static_check {

// What the code says of the waves that execute it.
struct Waves {
  explicit Waves(const Code& code, Premise premise = Premise::none)
      : common(code), bases(code, premise), order(code, bases), phases(code, common), lds(code) {
    if (premise == Premise::exact_sums) linear.emplace(code);
  }
  CommonValues common;
  PointerBases bases;
  WorkgroupOrder order;
  Phases phases;
  LdsRanges lds;
  std::optional<LinearValuesBefore> linear;
};

// `flights` hold one operation. Null: nothing.
const char* order_lost(const Code& code, const Waves& waves, const Steps& steps, const Flights& flights,
                       size_t later);

} // namespace fmha950::static_check
