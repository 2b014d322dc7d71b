#include "harness/device/embedded_device.hpp"

#include "interface/error.hpp"

#include <cstdlib>

namespace fmha950::harness {

std::filesystem::path embedded_device_folder() {
  // The same places as interface/hip_runtime.cpp looks in.
  constexpr const char* library = "libamdhip64.so";
  if (const char* chosen = std::getenv("FMHA950_DEVICE_DIR")) {
    if (std::filesystem::exists(std::filesystem::path(chosen) / library)) return chosen;
    throw InvalidInput("FMHA950_DEVICE_DIR", chosen,
                       "must be a folder that holds the embedded device's libamdhip64.so");
  }
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "device";
  if (!std::filesystem::exists(folder / library))
    throw DeviceError("no embedded device in " + folder.string() +
                      ": libamdhip64.so is missing (is it built?)");
  return folder;
}

} // namespace fmha950::harness
