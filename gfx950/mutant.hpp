#pragma once
// Source mutants: the real kernel with exactly one protection removed. A protecting statement is written
//   if constexpr (protection("k_tile_arrived")) wait_vector_memory<6>();
// and is compiled out by -DFMHA950_MUTANT=k_tile_arrived; where the protected form is an expression, the
// unprotected one stands beside it. cmake's fmha950_source_mutants() builds them from a list. In the ordinary
// build every protection is there.

#ifndef FMHA950_MUTANT
#define FMHA950_MUTANT
#endif
#define FMHA950_TEXT_(name) #name
#define FMHA950_TEXT(name) FMHA950_TEXT_(name)

namespace fmha950::gfx950 {

consteval bool protection(const char* name) {
  const char* removed = FMHA950_TEXT(FMHA950_MUTANT);
  for (; *name == *removed; ++name, ++removed)
    if (*name == '\0') return false;
  return true;
}

} // namespace fmha950::gfx950
