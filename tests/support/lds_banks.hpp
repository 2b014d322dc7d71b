#pragma once
// Bank conflicts of LDS reads by the measured phases of the hardware (emulator/timing/lds_phases.hpp), which
// know nothing of any layout.

#include "emulator/timing/lds_phases.hpp"

#include <array>

namespace fmha950::test {

// Of a read of `bytes` a lane by lanes 0 to 31, which are served apart from the others: 0 if each phase takes
// a clock.
template <class Address> int half_wave_conflicts(int bytes, Address address) {
  std::array<uint32_t, 64> addresses{};
  for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = static_cast<uint32_t>(address(lane));
  return timing::lds_phases(timing::LdsDirection::read, bytes, addresses.data(), 0xFFFFFFFFu).conflicts;
}

} // namespace fmha950::test
