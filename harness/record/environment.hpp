#pragma once
// Where a result comes from: all but the commit has to be equal for two results to be comparable.

#include <cstdint>
#include <string>

namespace fmha950::harness {

struct Environment {
  std::string version; // of fmha950
  std::string commit;  // of what was built; with changes that were not committed, "COMMIT+DIGEST"; "unknown"
  int64_t committed = 0; // UNIX seconds; 0: unknown
  std::string kernels;   // digest of all code objects
  std::string build;     // build ids of the harness and of the HIP runtime: other code, other ids
  std::string compiler;  // of the host code
  std::string host_cpu;  // model name
  std::string device;    // "gfx950 (embedded)" or the GPU's name; "" while none has been opened
  std::string library;   // the HIP runtime that was loaded
  bool embedded = false;
};

// Opens the device if `with_device`; throws DeviceError if there is none.
Environment environment(bool with_device);

// The build id that the linker gives a program or library (elf(5), NT_GNU_BUILD_ID): other code, another id.
//
// Of a file that is loaded, the first 8 bytes in hexadecimal; "" names the program itself. "none": it has no build id, or is
// not loaded.
std::string build_id(const std::string& file);

} // namespace fmha950::harness
