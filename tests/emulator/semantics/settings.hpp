#pragma once
// FMHA950_FUZZ_ROUNDS and FMHA950_FUZZ_SEED: more or other random instructions than the fast tests have.

#include <cstdint>
#include <cstdlib>
#include <random>

namespace fmha950::semantics {

using Random = std::mt19937_64;

inline uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

} // namespace fmha950::semantics
