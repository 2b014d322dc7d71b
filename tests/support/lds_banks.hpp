#pragma once
// Bank conflicts of LDS reads by the measured phases of the hardware (emulator/rates/lds_phases.hpp), which
// know nothing of any layout.

#include "emulator/rates/lds_phases.hpp"

#include <array>

namespace fmha950::test {

// Of a read of `bytes` a lane: 0 if each phase takes a clock.
template <class Address> int wave_conflicts(int bytes, Address address, unsigned lanes = 64) {
  std::array<uint32_t, 64> addresses{};
  for (unsigned lane = 0; lane < lanes; ++lane) addresses[lane] = static_cast<uint32_t>(address(lane));
  return timing::lds_phases(timing::LdsDirection::read, bytes, addresses.data(), ~uint64_t{0} >> (64 - lanes))
      .conflicts;
}

// Of lanes 0 to 31, which reads of 8 bytes and more serve apart from the others.
template <class Address> int half_wave_conflicts(int bytes, Address address) {
  return wave_conflicts(bytes, address, 32);
}

} // namespace fmha950::test
