#pragma once
// What the harness asks of the embedded device beyond the function table (emulator/hip/extensions.hpp).

#include <filesystem>
#include <string>

namespace fmha950::harness {

// The folder whose libamdhip64.so is the embedded device, whichever library this process uses: for
// LD_LIBRARY_PATH. Throws DeviceError if it is not there.
std::filesystem::path embedded_device_folder();

// The gfx950 opcodes that LLVM knows and which of them the device implements, per family; closes with
// `N of M opcodes (P %)`. Throws InvalidInput when the library in use is not the embedded device.
std::string coverage_table();

// Lets calls through again after a kernel fault, which stops the device as it stops a GPU. On a GPU nothing
// helps but a new process, so there it does nothing and the remaining cases report the device's error.
void clear_fault();

} // namespace fmha950::harness
