#pragma once
// What may happen while an operation is in flight, in the code as it is or because a changed wait does not complete it, on
// some path whose branches go together: every path from the operation is walked until it is complete.

#include "emulator/static_check/common_values.hpp"
#include "emulator/static_check/flight_way.hpp"
#include "emulator/static_check/linear_values.hpp"

namespace fmha950::static_check {

// Whether what is asked is met anywhere; true as well where there are too many paths. A path is none where the operation, a
// vector one, has no lanes: it does nothing there. With `linear`, a path is none as well where what is compared on it
// contradicts itself.
bool is_met_on_a_path(const Question& question, const CommonValues& common, const LinearValuesBefore* linear,
                      size_t operation);

// Whether the instruction touches registers of the one operation in flight, in lanes that both have.
bool touches_in_lanes(const Code& code, size_t index, const Flights& one, bool lanes_meet);

} // namespace fmha950::static_check
