// Exits with 0 when the device accepts the environment, and every call agrees about it.
#include "tests/hip/hip_calls.hpp"

int main() {
  int count = 0;
  void* memory = nullptr;
  const int first = hipGetDeviceCount(&count), second = hipMalloc(&memory, 64);
  if (first != second) return 2;
  return first == 0 ? 0 : 1;
}
