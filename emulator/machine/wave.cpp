#include "emulator/machine/wave.hpp"

#include "emulator/memory/address_space.hpp"

#include <fmt/format.h>

namespace fmha950::machine {

void raise_fault(const char* message) { throw Fault(message); }
void raise_misaligned(const char* message) { throw MisalignedFault(message); }
void raise_fault(std::string message) { throw Fault(std::move(message)); }

uint32_t Wave::special(int code) const {
  switch (code) {
  case code::shared_base: return shared_aperture >> 32;
  case code::private_base: return private_aperture >> 32;
  case code::shared_limit:
    return shared_aperture >> 32; // 4 GiB apertures: base and limit share the high half
  case code::private_limit: return private_aperture >> 32;
  case code::vccz: return vcc() == 0;
  case code::execz: return exec() == 0;
  case code::scc: return scc;
  }
  raise_fault(fmt::format("scalar operand {} does not exist on gfx950", code));
}

} // namespace fmha950::machine
