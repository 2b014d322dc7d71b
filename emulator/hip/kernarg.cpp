#include "emulator/hip/kernarg.hpp"

#include "emulator/hip/runtime.hpp"
#include "emulator/memory/address_space.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace fmha950::hip {
namespace {

bool is_hidden(const loader::Argument& argument) { return argument.kind.starts_with("hidden_"); }

uint64_t explicit_end(const loader::Kernel& kernel) {
  uint64_t end = 0;
  for (const loader::Argument& argument : kernel.arguments)
    if (!is_hidden(argument)) end = std::max<uint64_t>(end, argument.offset + argument.size);
  return end;
}

uint32_t dimensions(const LaunchShape& shape) {
  if (shape.grid.z * shape.block.z > 1) return 3;
  return shape.grid.y * shape.block.y > 1 ? 2 : 1;
}

// Kinds: LLVM AMDGPUUsage, "Code Object V5 Kernel Argument Metadata". Every workgroup is full, so the
// remainders are 0. What the host does for a launch while it runs is filled in when it starts (device_services.hpp). The
// device enqueues nothing by itself: a kernel that uses such a queue faults at address 0.
uint64_t hidden_value(std::string_view kind, const LaunchShape& shape) {
  const auto axis = [&](const Dim3& size) {
    return kind.back() == 'x' ? size.x : kind.back() == 'y' ? size.y : size.z;
  };
  if (kind.starts_with("hidden_block_count_")) return axis(shape.grid);
  if (kind.starts_with("hidden_group_size_")) return axis(shape.block);
  if (kind == "hidden_grid_dims") return dimensions(shape);
  if (kind == "hidden_dynamic_lds_size") return shape.dynamic_lds;
  if (kind == "hidden_shared_base") return machine::shared_aperture >> 32;
  if (kind == "hidden_private_base") return machine::private_aperture >> 32;
  constexpr std::string_view zero[] = {"hidden_remainder_x",
                                       "hidden_remainder_y",
                                       "hidden_remainder_z",
                                       "hidden_global_offset_x",
                                       "hidden_global_offset_y",
                                       "hidden_global_offset_z",
                                       "hidden_none",
                                       "hidden_printf_buffer",
                                       "hidden_hostcall_buffer",
                                       "hidden_heap_v1",
                                       "hidden_multigrid_sync_arg",
                                       "hidden_default_queue",
                                       "hidden_queue_ptr",
                                       "hidden_completion_action"};
  if (std::find(std::begin(zero), std::end(zero), kind) == std::end(zero))
    throw CallError(hipErrorNotSupported,
                    fmt::format("hidden kernel argument {} is unknown to the device", kind));
  return 0;
}

void copy_parameters(const loader::Kernel& kernel, void** parameters, std::vector<std::byte>& segment) {
  size_t index = 0;
  for (const loader::Argument& argument : kernel.arguments) {
    if (is_hidden(argument)) continue;
    if (!parameters || !parameters[index])
      throw CallError(hipErrorInvalidValue,
                      fmt::format("kernelParams{} is null: kernel {} takes an argument of {} bytes here",
                                  parameters ? fmt::format("[{}]", index) : "", kernel.name, argument.size));
    std::memcpy(segment.data() + argument.offset, parameters[index++], argument.size);
  }
}

void copy_buffer(const loader::Kernel& kernel, void** extra, std::vector<std::byte>& segment) {
  const void* buffer = nullptr;
  const size_t* bytes = nullptr;
  for (; *extra != launch_param_end; extra += 2) {
    if (*extra == launch_param_buffer_pointer)
      buffer = extra[1];
    else if (*extra == launch_param_buffer_size)
      bytes = static_cast<const size_t*>(extra[1]);
    else
      throw CallError(hipErrorInvalidValue,
                      fmt::format("extra holds key {}: must be 1 (HIP_LAUNCH_PARAM_BUFFER_"
                                  "POINTER), 2 (..._SIZE) or 3 (..._END)",
                                  *extra));
  }
  require(buffer && bytes, hipErrorInvalidValue,
          "extra must hold HIP_LAUNCH_PARAM_BUFFER_POINTER and HIP_LAUNCH_PARAM_BUFFER_SIZE");
  if (*bytes < explicit_end(kernel))
    throw CallError(hipErrorInvalidValue,
                    fmt::format("extra buffer has {} bytes: the arguments of kernel {} need {}", *bytes,
                                kernel.name, explicit_end(kernel)));
  std::memcpy(segment.data(), buffer, std::min(*bytes, segment.size()));
}

} // namespace

std::vector<std::byte> build_kernarg(const loader::Kernel& kernel, const LaunchShape& shape,
                                     const ArgumentSource& source) {
  if (source.parameters && source.extra)
    throw CallError(hipErrorInvalidValue, "kernelParams and extra are both given: use one of them");
  std::vector<std::byte> segment(kernel.kernarg_bytes);
  if (source.extra)
    copy_buffer(kernel, source.extra, segment);
  else
    copy_parameters(kernel, source.parameters, segment);
  for (const loader::Argument& argument : kernel.arguments) {
    if (!is_hidden(argument)) continue;
    const uint64_t value = hidden_value(argument.kind, shape);
    std::memcpy(segment.data() + argument.offset, &value, std::min<size_t>(argument.size, sizeof value));
  }
  return segment;
}

DispatchPacket build_packet(const loader::Kernel& kernel, const LaunchShape& shape, uint64_t kernarg) {
  constexpr uint16_t kernel_dispatch = 2; // HSA_PACKET_TYPE_KERNEL_DISPATCH
  DispatchPacket packet{};
  const auto put = [&](size_t offset, auto value) {
    std::memcpy(packet.data() + offset, &value, sizeof value);
  };
  put(0, kernel_dispatch);
  put(2, static_cast<uint16_t>(dimensions(shape)));
  put(4, static_cast<uint16_t>(shape.block.x));
  put(6, static_cast<uint16_t>(shape.block.y));
  put(8, static_cast<uint16_t>(shape.block.z));
  put(12, shape.grid.x * shape.block.x);
  put(16, shape.grid.y * shape.block.y);
  put(20, shape.grid.z * shape.block.z);
  put(24, kernel.private_segment);
  put(28, kernel.static_lds + shape.dynamic_lds);
  put(32, kernel.descriptor_address);
  put(40, kernarg);
  return packet;
}

} // namespace fmha950::hip
