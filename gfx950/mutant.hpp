#pragma once
// Source mutants: the real kernel with exactly one protection removed. A protection is a wait, barrier, bound, mask or
// factor that has a name. A function that protects takes the name as its last argument:
//   wait_vector_memory<6>("k_arrived");   barrier("barrier_1");   minimum(row, end - 1, "row_end");
//   below(head, heads, "head_end");   lse * multiplier(ln2, "lse_base");   sum + summand(sink, "sink_in_denominator")
//   in_order([&] { look_up(); }, [&] { stage_k(tile); }, "pages_before_tile");   either(before, place, "v_behind_k")
// Elsewhere protection("name") chooses between the protected form and what stands in for it.
// -DFMHA950_MUTANT=k_arrived removes what has that name; in the ordinary build every protection is there.
// cmake's fmha950_source_mutants() builds mutants from a list.

#include "gfx950/kernel.hpp"

#ifndef FMHA950_MUTANT
#define FMHA950_MUTANT
#endif
#define FMHA950_TEXT_(name) #name
#define FMHA950_TEXT(name) FMHA950_TEXT_(name)

namespace fmha950::gfx950 {

// Whether this is not the mutant of that name. The name may be given in two pieces.
consteval bool protection(const char* name, const char* rest = "") {
  const char* removed = FMHA950_TEXT(FMHA950_MUTANT);
  for (; *name != '\0'; ++name, ++removed)
    if (*name != *removed) return true;
  for (; *rest == *removed; ++rest, ++removed)
    if (*rest == '\0') return false;
  return true;
}

// The name as an argument. It is a number, not a bool, because clang 22 optimises it away then: nothing of it is left in
// the kernel.
struct Protection {
  consteval Protection(const char* name) : kept(protection(name) ? 1 : 0) {}
  int kept;
};

// The name of a wait with a count. A second mutant lets one operation too many stay in flight: NAME_n, or the one that
// is named, for waits that share it.
struct CountedProtection {
  consteval CountedProtection(const char* name)
      : state(!protection(name)        ? removed
              : protection(name, "_n") ? kept
                                       : loose) {}
  consteval CountedProtection(const char* name, const char* of_count)
      : state(!protection(name)      ? removed
              : protection(of_count) ? kept
                                     : loose) {}
  enum : int { removed, loose, kept } state;
};

// A value with an upper bound: the value as it is without the protection.
template <class T> FMHA950_INLINE T minimum(T value, T bound, Protection named) {
  return named.kept ? minimum(value, bound) : value;
}

// Whether a value is below a bound: without the protection any is.
template <class T> FMHA950_INLINE bool below(T value, T bound, Protection named) {
  return value < bound || !named.kept;
}

// A multiplier is 1 and a summand 0 without the protection.
template <class T> FMHA950_INLINE constexpr T multiplier(T value, Protection named) {
  return named.kept ? value : T(1);
}
template <class T> FMHA950_INLINE constexpr T summand(T value, Protection named) {
  return named.kept ? value : T(0);
}

// The one of two values that is right: the other without the protection.
template <class T> FMHA950_INLINE constexpr T either(T right, T wrong, Protection named) {
  return named.kept ? right : wrong;
}
// Does one thing before another: after it without the protection.
template <class Before, class After>
FMHA950_INLINE void in_order(Before before, After after, Protection named) {
  if (named.kept) before();
  after();
  if (!named.kept) before();
}

// What a bound is off by: nothing, and 1 without the protection.
consteval int off_by_one(Protection named) { return named.kept ? 0 : 1; }

} // namespace fmha950::gfx950
