// Asks the embedded device what it is, and sets an option of it: what a program without ROCm's headers can do.
#include "emulator/hip/extensions.hpp"

#include <cstdio>

extern "C" {
hipError_t hipGetDeviceCount(int* count);
hipError_t hipDeviceGetName(char* name, int bytes, int device);
}

int main() {
  int count = 0;
  char name[256] = {};
  if (hipGetDeviceCount(&count) != fmha950::hip::hipSuccess || count != 1) return 1;
  if (hipDeviceGetName(name, sizeof name, 0) != fmha950::hip::hipSuccess) return 2;
  if (fmha950SetOption("schedule", "lazy") != fmha950::hip::hipSuccess) return 3;
  std::printf("%s\n", name);
  return 0;
}
