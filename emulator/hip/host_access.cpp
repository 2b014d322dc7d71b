// Device memory that the host touches in place. The device shares the host's address space, so a program can; what it must say
// is when, and which bytes.
#include "emulator/hip/copy.hpp"
#include "emulator/hip/extensions.hpp"
#include "emulator/hip/hazards.hpp"
#include "emulator/hip/runtime.hpp"
#include "emulator/hip/streams.hpp"
#include "emulator/observe/engine.hpp"

#include <span>

namespace fmha950::hip {

namespace {

void read(std::span<const void* const> pieces, size_t bytes) {
  if (bytes)
    for (const void* piece : pieces) require_range("pointer", piece, bytes, true);
  synchronise_device();
  if (!bytes || !includes(Runtime::get().options().checks, observe::HazardClass::uninitialised)) return;
  if (observe::HazardEngine::get().host_read(pieces, bytes)) publish_hazards();
}

void wrote(std::span<const void* const> pieces, size_t bytes) {
  if (bytes)
    for (const void* piece : pieces) require_range("pointer", piece, bytes, true);
  synchronise_device();
  if (!bytes) return;
  for (const void* piece : pieces) observe::HazardEngine::get().host_wrote(piece, bytes);
}

} // namespace

FMHA950_HIP_API hipError_t fmha950HostRead(const void* pointer, size_t bytes) {
  return call([&] { read({&pointer, 1}, bytes); });
}

FMHA950_HIP_API hipError_t fmha950HostReadPieces(const void* const* pointers, size_t count, size_t bytes) {
  return call([&] {
    require(pointers || count == 0, hipErrorInvalidValue, "pointers is null");
    read({pointers, count}, bytes);
  });
}

FMHA950_HIP_API hipError_t fmha950HostWrote(const void* pointer, size_t bytes) {
  return call([&] { wrote({&pointer, 1}, bytes); });
}

FMHA950_HIP_API hipError_t fmha950HostWrotePieces(const void* const* pointers, size_t count, size_t bytes) {
  return call([&] {
    require(pointers || count == 0, hipErrorInvalidValue, "pointers is null");
    wrote({pointers, count}, bytes);
  });
}

} // namespace fmha950::hip
