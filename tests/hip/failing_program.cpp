// A program that ignores what its calls return, as many do: `load FILE`, `free`, `fault FILE`, or `leave FILE`: while
// a kernel runs that never ends.
#include "tests/hip/hip_calls.hpp"

#include <cstring>

int main(int count, char** arguments) {
  void *module = nullptr, *function = nullptr, *memory = nullptr;
  if (count < 2) return 1;
  if (std::strcmp(arguments[1], "free") == 0) {
    for (int i = 0; i < 3; ++i) hipFree(arguments);
    return 0;
  }
  hipModuleLoad(&module, arguments[2]);
  if (std::strcmp(arguments[1], "leave") == 0) {
    hipModuleGetFunction(&function, module, "relay");
    hipMalloc(&memory, 64);
    void* parameters[] = {&memory, &memory};
    hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
    return 0;
  }
  if (std::strcmp(arguments[1], "fault") != 0) return 0;
  hipModuleGetFunction(&function, module, "store_to");
  hipMalloc(&memory, 64);
  hipMalloc(&memory, 128);
  void* past = static_cast<char*>(memory) + 132;
  void* parameters[] = {&past};
  hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
  hipMemset(memory, 0, 128);
  hipFree(memory);
  return 0;
}
