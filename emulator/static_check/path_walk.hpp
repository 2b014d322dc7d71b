#pragma once
// What may happen while an operation is in flight that a changed wait does not complete, on some path whose branches go
// together: every path from the operation is walked until it is complete.

#include "emulator/static_check/common_values.hpp"
#include "emulator/static_check/flights.hpp"
#include "emulator/static_check/linear_values.hpp"

#include <functional>

namespace fmha950::static_check {

struct ChangedWait {
  size_t index = 0;
  isa::Waitcnt was; // its limits before
};

// Asked at each instruction with the one operation, as it is in flight there, and whether the lanes that execute the
// instruction may be some of the operation's.
using IsMet = std::function<bool(size_t index, const Flights& flights, bool lanes_meet)>;

// Whether `is_met` says so anywhere; true as well where there are too many paths. With `linear`, a path is none as well where
// what is compared on it contradicts itself.
bool is_met_on_a_path(const Code& code, const CommonValues& common, const LinearValuesBefore* linear,
                      const Steps& steps, const ChangedWait& changed, size_t operation, const IsMet& is_met);

} // namespace fmha950::static_check
