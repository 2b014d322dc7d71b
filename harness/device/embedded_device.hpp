#pragma once
// The folder whose libamdhip64.so is the embedded device, whichever library this process uses: for
// LD_LIBRARY_PATH. Throws DeviceError if it is not there, InvalidInput if
// FMHA950_DEVICE_DIR says so.

#include <filesystem>

namespace fmha950::harness {

std::filesystem::path embedded_device_folder();

} // namespace fmha950::harness
