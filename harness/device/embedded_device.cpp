#include "harness/device/embedded_device.hpp"

#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <cstdlib>
#include <dlfcn.h>

namespace fmha950::harness {

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
  const hip::Runtime& runtime = hip::runtime();
  // RTLD_NOLOAD: the library is loaded already, this only asks for its handle.
  void* library = dlopen(runtime.library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  const auto coverage =
      library != nullptr ? reinterpret_cast<const char* (*)()>(dlsym(library, "fmha950Coverage")) : nullptr;
  if (coverage == nullptr)
    throw InvalidInput("device", runtime.device,
                       "--coverage needs the embedded device; " + runtime.library +
                           " has no function fmha950Coverage");
  return coverage();
}

} // namespace fmha950::harness
