// One kernel per array of arrays.hpp: `uniform` with indices that are the same for all lanes, `divergent` with those of
// each lane.
#include "tests/emulator/differential/arrays.hpp"

using namespace fmha950::differential;

#define KERNELS(name, T, size)                                                                               \
  extern "C" __attribute__((global)) void uniform_##name(const T* a, const T* b, T* result, uint32_t read,   \
                                                         uint32_t write, uint32_t rounds) {                  \
    const uint32_t i = __builtin_amdgcn_workitem_id_x();                                                     \
    result[i] = walk<T, size>(a[i], b[i], read, write, rounds);                                              \
  }                                                                                                          \
  extern "C" __attribute__((global)) void divergent_##name(const T* a, const T* b, T* result, uint32_t read, \
                                                           uint32_t write, uint32_t rounds) {                \
    const uint32_t i = __builtin_amdgcn_workitem_id_x();                                                     \
    result[i] = walk<T, size>(a[i], b[i], read + i % 5, write + i % 3, rounds);                              \
  }
FMHA950_INDEXED_ARRAYS(KERNELS)
