// One kernel per function of functions.hpp: element i of the arguments to element i of the result.
#include "tests/emulator/differential/functions.hpp"

using namespace fmha950::differential;

#define KERNEL(name, Result, Argument, ...)                                                                  \
  extern "C" __attribute__((global)) void differential_##name(const Argument* first, const Argument* second, \
                                                              const Argument* third, Result* result) {       \
    const u32 i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();                \
    [[maybe_unused]] const Argument a = first[i], b = second[i], c = third[i];                               \
    result[i] = __VA_ARGS__;                                                                                 \
  }
FMHA950_DIFFERENTIAL_FUNCTIONS(KERNEL)
