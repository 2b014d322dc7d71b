#pragma once
// The test kernels as a loaded module, and device memory that frees itself.

#include "tests/hip/hip_calls.hpp"

#include "tests/support/catch.hpp"
#include <initializer_list>
#include <string>
#include <vector>

inline std::string detail() { return fmha950LastErrorDetail(); }

class Module {
 public:
  explicit Module(const char* variant = "v6") {
    fmha950ClearFault(); // the test before may have failed in one
    REQUIRE(hipModuleLoad(&module_, (std::string(CODE_OBJECTS "/hip_kernels_") + variant + ".co").c_str()) ==
            0);
  }
  ~Module() { hipModuleUnload(module_); }
  void* get() const { return module_; }
  void* kernel(const char* name) const {
    void* function = nullptr;
    REQUIRE(hipModuleGetFunction(&function, module_, name) == 0);
    return function;
  }

 private:
  void* module_ = nullptr;
};

template <class T> class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    REQUIRE(hipMalloc(&pointer_, count * sizeof(T)) == 0);
    REQUIRE(hipMemset(pointer_, 0, count * sizeof(T)) == 0);
  }
  ~DeviceArray() { hipFree(pointer_); }
  void* get() const { return pointer_; }
  std::vector<T> values() const {
    std::vector<T> host(count_);
    REQUIRE(hipMemcpy(host.data(), pointer_, count_ * sizeof(T), to_host) == 0);
    return host;
  }

 private:
  size_t count_;
  void* pointer_ = nullptr;
};

// Launches with pointers to the arguments.
template <class... Arguments>
int launch(void* function, HipDim3 grid, HipDim3 block, unsigned lds, Arguments... arguments) {
  void* parameters[] = {static_cast<void*>(&arguments)..., nullptr};
  return hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, lds, nullptr,
                               parameters, nullptr);
}
