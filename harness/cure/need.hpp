#pragma once
// What a report says is missing, as far as a wait, a barrier or wait states would do.

#include "harness/device/hazards.hpp"

#include <optional>

namespace fmha950::harness::cure {

struct Need {
  enum class Kind : uint8_t {
    wait,                // of the wave, between the two
    wait_before_barrier, // there is a barrier; the earlier wave has to wait before it
    wait_before_flag,    // the earlier wave has to wait before it says that it is done
    barrier,             // perhaps with a wait before it
    states
  };
  Kind kind = Kind::wait;
  bool vmcnt = false, lgkmcnt = false; // which counters, of waits
  int states = 0;
};

// None where no order of instructions helps: bounds, uninitialised bytes, workgroups, caches.
std::optional<Need> need_of(const HazardReport& report);

} // namespace fmha950::harness::cure
