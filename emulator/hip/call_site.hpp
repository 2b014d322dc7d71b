#pragma once
// Which HIP call of the program is running, and who made it: by the frames of the stack. Costs some microseconds.

#include <string>

namespace fmha950::hip {

struct CallSite {
  std::string call;   // "hipMalloc"
  std::string caller; // "run_model", or "libmodel.so+0x1234" for what has no exported name
};
CallSite call_site();

} // namespace fmha950::hip
