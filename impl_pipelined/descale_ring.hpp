#pragma once
// Page descales: those of the tiles in flight. A tile has one page, hence one descale for K and one
// for V.
//
// A descale belongs to the tile that is computed, not to the one that is being loaded. Tile t's are loaded
// with K(t), two iterations before they are used; meanwhile those of t - 1 and t - 2 are still needed:
//
//   iteration      t - 2              t - 1              t                        t + 1
//   phase          1                  1                  1    2       3           0
//   ring           loads t            shifts             shifts
//   next_next_     t  - - - - - - ->
//   next_                             t  - - - - - - ->
//   current_                                             t: reference, O's factor, P's second half
//
// One slot per tile in flight, shifted once per iteration: no slot is written while it is read. The loads are
// scalar, and their registers ordinary values, so their waits are the compiler's.

#include "gfx950/mutant.hpp"
#include "impl_pipelined/kernel_arguments.hpp"

namespace fmha950::pipelined {

using namespace gfx950;

struct Descales {
  float k, v;
};

class DescaleRing {
 public:
  FMHA950_INLINE DescaleRing(const PrefillArguments& arguments, const attention::WorkItem& item)
      : k_((ConstantFloats)(arguments.k_descale + item.kv_head)),
        v_((ConstantFloats)(arguments.v_descale + item.kv_head)), kv_heads_(arguments.kv_heads) {}

  // Shifts, and starts to load the descales of the tile whose page this is.
  FMHA950_INLINE void advance(uint32_t page) {
    const uint64_t index = static_cast<uint64_t>(page) * kv_heads_;
    before_ = current_;
    current_ = next_;
    next_ = next_next_;
    next_next_ = {k_[index], v_[index]};
  }

  FMHA950_INLINE Descales current() const { return of_tile(current_, next_, next_next_); }
  FMHA950_INLINE Descales before() const { return of_tile(before_, current_, next_); }

 private:
  using ConstantFloats = const __attribute__((address_space(4))) float*; // scalar loads

  // The bug of CK's first V3: the slot already held the descale of the tile two ahead. A ring one slot short
  // has that of the next tile.
  static FMHA950_INLINE Descales of_tile(Descales own, Descales one_ahead, Descales two_ahead) {
    if constexpr (!protection("descale_of_tile")) return two_ahead;
    return protection("descale_ring") ? own : one_ahead;
  }

  ConstantFloats k_, v_;
  uint32_t kv_heads_;
  Descales before_ = {1, 1}, current_ = {1, 1}, next_ = {1, 1}, next_next_ = {1, 1};
};

} // namespace fmha950::pipelined
