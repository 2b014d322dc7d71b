#include "emulator/hip/device_services.hpp"

#include "emulator/hip/device_heap.hpp"
#include "emulator/hip/failures.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace fmha950::hip {
namespace {

std::atomic<uint32_t> printf_buffer_bytes = 4 << 20;

void put(const loader::Argument& argument, std::byte* arguments, uint64_t value) {
  std::memcpy(arguments + argument.offset, &value, std::min<size_t>(argument.size, sizeof value));
}

// Through the program's own streams, so that what it prints itself comes in order.
hostcall::Output output_of(const loader::Kernel& kernel) {
  return {.print =
              [](bool to_stderr, const std::string& text) {
                std::fwrite(text.data(), 1, text.size(), to_stderr ? stderr : stdout);
              },
          .refuse =
              [&kernel](const std::string& why) {
                say_note(fmt::format("printf in kernel {}: {}", kernel.name, why));
              }};
}

hostcall::DeviceMemory memory() {
  return {.allocate = [](uint64_t bytes) { return DeviceHeap::get().allocate(bytes); },
          .release = [](uint64_t address) { return DeviceHeap::get().release(address); }};
}

} // namespace

void set_printf_buffer(uint32_t bytes) { printf_buffer_bytes = bytes; }
uint32_t printf_buffer() { return printf_buffer_bytes; }

DeviceServices::DeviceServices(const loader::Kernel& kernel, std::byte* arguments) : kernel_(kernel) {
  for (const loader::Argument& argument : kernel.arguments) {
    if (argument.kind == "hidden_hostcall_buffer")
      put(argument, arguments, services_.emplace(output_of(kernel), memory()).buffer());
    else if (argument.kind == "hidden_printf_buffer")
      put(argument, arguments, printf_.emplace(printf_buffer()).address());
    else if (argument.kind == "hidden_heap_v1")
      put(argument, arguments, DeviceHeap::get().management());
  }
  DeviceHeap::get().launch_begins();
}

DeviceServices::~DeviceServices() {
  if (printf_)
    hostcall::print_records(printf_->records(), hostcall::formats_of(kernel_.object->printf_formats()),
                            output_of(kernel_));
  if (printf_ || services_) std::fflush(stdout);
  DeviceHeap::get().launch_ends();
}

} // namespace fmha950::hip
