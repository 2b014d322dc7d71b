// libFuzzer's entry: a program holds exactly one target.
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fmha950::fuzz::Target target = fmha950::fuzz::targets().begin()->second;
  target({data, size});
  return 0;
}

// Containers that pass between sanitized code and the instruction families, which are not.
extern "C" const char* __asan_default_options() { return "detect_container_overflow=0"; }
