#include "impl_reference/passes.hpp"

#include "interface/error.hpp"

#include <cstdlib>
#include <string>

namespace fmha950::reference {
namespace {

const Passes& choose() {
  if (const char* forced = std::getenv("FMHA950_SIMD")) {
    const std::string name = forced;
    if (name == "baseline") return simd_baseline::passes;
    if (name == "avx2") return simd_avx2::passes;
    if (name == "avx512" || name == "avx512_vbmi") return simd_avx512::passes;
    throw InvalidInput("FMHA950_SIMD", name, "must be avx512_vbmi, avx512, avx2 or baseline");
  }
  if (__builtin_cpu_supports("x86-64-v4")) return simd_avx512::passes;
  if (__builtin_cpu_supports("x86-64-v3")) return simd_avx2::passes;
  return simd_baseline::passes;
}

} // namespace

const Passes& passes() {
  static const Passes& chosen = choose();
  return chosen;
}

} // namespace fmha950::reference
