#pragma once
// Loops whose index is a compile-time constant, for what must be an immediate of an instruction.

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

template <int VALUE> struct Constant {
  constexpr operator int() const { return VALUE; }
};

template <class Index, Index... I> struct Indices {
  template <class Body> static FMHA950_INLINE void each(Body body) { (body(Constant<I>{}), ...); }
};

// body(Constant<0>{}), ..., body(Constant<N - 1>{})
template <int N, class Body> FMHA950_INLINE void unrolled(Body body) {
  __make_integer_seq<Indices, int, N>::each(body);
}

} // namespace fmha950::gfx950
