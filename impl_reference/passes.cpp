#include "impl_reference/passes.hpp"

#include "interface/error.hpp"

#include <cstdlib>
#include <string>

namespace fmha950::reference {

const Passes& chosen(const PassesOfWidths& passes) {
#ifdef FMHA950_ONE_WIDTH // cmake/Widths.cmake
  if (!__builtin_cpu_supports(FMHA950_ONE_WIDTH))
    throw InvalidInput("FMHA950_WIDTHS", FMHA950_ONE_WIDTH,
                       "must be all, for a build that runs on this host's processor");
#endif
  if (const char* forced = std::getenv("FMHA950_SIMD")) {
    const std::string name = forced;
    if (name == "baseline") return passes.baseline;
    if (name == "avx2") return passes.avx2;
    if (name == "avx512" || name == "avx512_vbmi") return passes.avx512;
    throw InvalidInput("FMHA950_SIMD", name, "must be avx512_vbmi, avx512, avx2 or baseline");
  }
  if (__builtin_cpu_supports("x86-64-v4")) return passes.avx512;
  if (__builtin_cpu_supports("x86-64-v3")) return passes.avx2;
  return passes.baseline;
}

} // namespace fmha950::reference
