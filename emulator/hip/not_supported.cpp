#include "emulator/hip/not_supported.hpp"

#include "emulator/hip/runtime.hpp"

namespace fmha950::hip {

hipError_t not_supported(const char* name) {
  return finish_call(hipErrorNotSupported, fmt::format("{} is not supported by the embedded device", name));
}

} // namespace fmha950::hip
