#include "harness/device/embedded_device.hpp"

#include "interface/error.hpp"

#include <cstdlib>

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

} // namespace fmha950::harness
