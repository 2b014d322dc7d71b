#include "harness/device/embedded_device.hpp"

#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <cstdlib>
#include <dlfcn.h>

namespace fmha950::harness {

namespace {

// RTLD_NOLOAD: the library is loaded already, this only asks for its handle.
template <class Function> Function* extension(const char* name) {
  void* library = dlopen(hip::runtime().library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

} // namespace

std::filesystem::path embedded_device_folder() {
  // The same places as interface/hip_runtime.cpp looks in.
  std::filesystem::path folder;
  if (const char* chosen = std::getenv("FMHA950_DEVICE_DIR"))
    folder = chosen;
  else
    folder = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "device";
  if (!std::filesystem::exists(folder / "libamdhip64.so"))
    throw DeviceError("no embedded device in " + folder.string() +
                      ": libamdhip64.so is missing (is it built?)");
  return folder;
}

std::string coverage_table() {
  const auto coverage = extension<const char*()>("fmha950Coverage");
  if (coverage == nullptr)
    throw InvalidInput("device", hip::runtime().device, "--coverage needs the embedded device");
  return coverage();
}

void clear_fault() {
  if (const auto clear = extension<int()>("fmha950ClearFault"); clear != nullptr) clear();
}

} // namespace fmha950::harness
