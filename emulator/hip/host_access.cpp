// Device memory that the host touches in place. The device shares the host's address space, so a program can; what it must say
// is when, and which bytes.
#include "emulator/hip/copy.hpp"
#include "emulator/hip/extensions.hpp"
#include "emulator/hip/hazards.hpp"
#include "emulator/hip/runtime.hpp"
#include "emulator/hip/streams.hpp"
#include "emulator/observe/engine.hpp"

namespace fmha950::hip {

FMHA950_HIP_API hipError_t fmha950HostRead(const void* pointer, size_t bytes) {
  return call([&] {
    if (bytes) require_range("pointer", pointer, bytes, true);
    synchronise_device();
    if (!bytes || !includes(Runtime::get().options().checks, observe::HazardClass::uninitialised)) return;
    if (observe::HazardEngine::get().host_read(pointer, bytes)) publish_hazards();
  });
}

FMHA950_HIP_API hipError_t fmha950HostWrote(const void* pointer, size_t bytes) {
  return call([&] {
    if (bytes) require_range("pointer", pointer, bytes, true);
    synchronise_device();
    if (bytes) observe::HazardEngine::get().host_wrote(pointer, bytes);
  });
}

} // namespace fmha950::hip
