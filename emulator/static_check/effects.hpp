#pragma once
// What an instruction does to memory, as far as the order among waves asks.

#include "emulator/static_check/code.hpp"

namespace fmha950::static_check {

struct Effect {
  bool reads_lds = false, writes_lds = false, reads_memory = false, writes_memory = false;
};

// A load past the caches may read a flag: it takes part in an order as a write does.
Effect effect_of(const Code& code, size_t index);

// FLAT may be of LDS or not; what caches and unknown code do is not said in bytes.
bool has_known_effect(const Code& code, size_t index);

// Whether their order matters where their bytes meet: one is a write, which reads as well here.
inline bool may_disturb_in_lds(const Effect& a, const Effect& b) {
  return (a.writes_lds && b.reads_lds) || (a.reads_lds && b.writes_lds);
}
inline bool may_disturb_in_memory(const Effect& a, const Effect& b) {
  return (a.writes_memory && b.reads_memory) || (a.reads_memory && b.writes_memory);
}

} // namespace fmha950::static_check
