#pragma once
// What a kernel may ask of the host while it runs: printf, assert, malloc (emulator/hostcall). Only kernels whose metadata
// name the hidden arguments get it.

#include "emulator/hostcall/printf_buffer.hpp"
#include "emulator/hostcall/services.hpp"
#include "emulator/loader/code_object.hpp"

#include <optional>

namespace fmha950::hip {

void set_printf_buffer(uint32_t bytes); // of buffered printf, for each launch
uint32_t printf_buffer();

class DeviceServices { // of one launch
 public:
  // Fills in the hidden arguments of a segment in device memory.
  DeviceServices(const loader::Kernel& kernel, std::byte* arguments);
  ~DeviceServices(); // prints what is buffered; everything printed is on its way to the terminal
  DeviceServices(const DeviceServices&) = delete;
  bool any() const { return services_ || printf_; }
  machine::HostServices* host() { return services_ ? &*services_ : nullptr; }

 private:
  const loader::Kernel& kernel_;
  std::optional<hostcall::Services> services_;
  std::optional<hostcall::PrintfBuffer> printf_;
};

} // namespace fmha950::hip
