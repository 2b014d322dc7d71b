#pragma once
// Which s_barrier a wave that ended lacks, by what another came to that has one more. Barriers are met by their number, so
// the one that nobody else comes to is always the last; where in the code one is missing tells whether the waves were meant to
// be a barrier apart.

#include "emulator/program/instruction.hpp"

#include <span>

namespace fmha950::observe {

using BarriersMet = std::span<const isa::Instruction* const>; // by a wave, in their order

struct MissingBarrier {
  // In front of everything, of the first loop with barriers, or of more of them than it stands behind: one group of waves is put
  // a barrier ahead, and the other group comes to each of its own one later, as far as to its end.
  bool may_be_first = false;
  bool may_be_last = false; // of the wave that has one more
  bool is_stagger() const { return may_be_first && !may_be_last; }
};

// `more` has one more than `fewer`. Both are compared by instruction. Where groups of waves have code of their own, what only
// one of the two executes is compared by how often it does, as loops of groups turn alike.
MissingBarrier missing_barrier(BarriersMet more, BarriersMet fewer);

} // namespace fmha950::observe
