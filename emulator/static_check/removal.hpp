#pragma once
// What happens if a wait is loosened or the states of an s_nop become fewer: followed from the changed instruction alone,
// as far as it makes a difference. An operation that the wait completed stays in flight until a later wait completes it;
// states that are gone are missing between what lies before and what lies behind.

#include "emulator/static_check/distances.hpp"
#include "emulator/static_check/flights.hpp"
#include "emulator/static_check/lost_order.hpp"

#include <optional>
#include <string>

namespace fmha950::static_check {

// What is known before each s_waitcnt; and before each s_nop, s_barrier and s_waitcnt, that the kernel comes to; by
// instruction, of others nothing.
std::vector<Flights> flights_before_waits(const Code& code, const Steps& steps);
std::vector<Distances> distances_before_removals(const Code& code, const Steps& steps);

// Why a change is not without consequence.
struct Objection {
  size_t earlier = 0, later = 0; // instructions
  std::string what;
  // Registers would be in flight, or states short: an error. Else an order of memory may be lost, which the code alone
  // does not show: in LDS, or towards other waves.
  bool is_error = false;
};

// `steps` are the changed ones, `was` the wait's limits before; `flights` what is in flight before the wait. Errors come
// before objections about memory.
std::optional<Objection> objection_to_wait(const Code& code, const Waves& waves, const Steps& steps,
                                           const Flights& flights, size_t index, isa::Waitcnt was);

// The most states that are missing anywhere when the instruction at `index` gives those of `steps`.
struct Missing {
  int states = 0;
  std::optional<Objection> objection; // of the pair that misses most
};
Missing missing_without(const Code& code, const Steps& steps, const Distances& distances, size_t index);

} // namespace fmha950::static_check
