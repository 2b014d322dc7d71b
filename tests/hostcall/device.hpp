#pragma once
// Launches of the test kernels, and what they print.

#include "tests/hip/hip_calls.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
int hipDeviceSetLimit(int, size_t);
int hipDeviceGetLimit(size_t*, int);
const char* fmha950Hazards(const char*);
int fmha950ClearHazards();
}

// What is written to a file descriptor while `act` runs.
inline std::string written_to(int descriptor, const std::function<void()>& act) {
  const TemporaryFolder folder;
  std::fflush(nullptr);
  const int before = dup(descriptor), file = open((folder.path() / "out").c_str(), O_CREAT | O_WRONLY, 0600);
  dup2(file, descriptor);
  act();
  std::fflush(nullptr);
  dup2(before, descriptor);
  close(file);
  close(before);
  return folder.read("out");
}

class HostcallModule {
 public:
  explicit HostcallModule(const std::string& variant = "v6") {
    fmha950ClearFault();
    REQUIRE(hipModuleLoad(&module_, (CODE_OBJECTS "/hostcall_kernels_" + variant + ".co").c_str()) == 0);
  }
  ~HostcallModule() {
    hipModuleUnload(module_);
    fmha950SetOption("schedule", "eager");
    fmha950SetOption("check", "none");
  }
  template <class... Arguments>
  int launch(const char* name, uint32_t groups, uint32_t items, Arguments... arguments) const {
    void* function = nullptr;
    REQUIRE(hipModuleGetFunction(&function, module_, name) == 0);
    void* parameters[] = {static_cast<void*>(&arguments)..., nullptr};
    const int result =
        hipModuleLaunchKernel(function, groups, 1, 1, items, 1, 1, 0, nullptr, parameters, nullptr);
    return result ? result : hipDeviceSynchronize();
  }

 private:
  void* module_ = nullptr;
};

template <class T> class DeviceWords {
 public:
  explicit DeviceWords(size_t count) : values_(count) {
    REQUIRE(hipMalloc(&pointer_, count * sizeof(T)) == 0);
    REQUIRE(hipMemset(pointer_, 0, count * sizeof(T)) == 0);
  }
  ~DeviceWords() { hipFree(pointer_); }
  void* get() const { return pointer_; }
  const std::vector<T>& values() {
    REQUIRE(hipMemcpy(values_.data(), pointer_, values_.size() * sizeof(T), 2) == 0);
    return values_;
  }

 private:
  std::vector<T> values_;
  void* pointer_ = nullptr;
};
