#pragma once
// What the harness asks of the HIP library beyond the function table.

#include <filesystem>
#include <string>

namespace fmha950::harness {

// The folder whose libamdhip64.so is the embedded device, whichever library this process uses: for
// LD_LIBRARY_PATH. Throws DeviceError if it is not there.
std::filesystem::path embedded_device_folder();

// The gfx950 opcodes that LLVM knows and which of them the device implements, per family; closes with
// `N of M opcodes (P %)`. Throws InvalidInput when the library in use is not the embedded device.
std::string coverage_table();

} // namespace fmha950::harness
