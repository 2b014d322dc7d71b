#include "emulator/hip/launch.hpp"

#include "emulator/hip/capture.hpp"
#include "emulator/hip/device_facts.hpp"
#include "emulator/hip/device_services.hpp"
#include "emulator/hip/launch_log.hpp"
#include "emulator/hip/replay.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/memory/address_space.hpp"
#include "numerics/target.hpp"

#include <cstring>

namespace fmha950::hip {
namespace {

constexpr uint64_t most_work_items = facts::items_per_workgroup;

// Error codes as ROCm's runtime returns them (hip_module.cpp of clr): configuration for the device's limits,
// launch failure for the kernel's own launch bounds.
void check_shape(const loader::Kernel& kernel, const LaunchShape& shape) {
  const Dim3 &grid = shape.grid, &block = shape.block;
  const auto check_axis = [](char axis, uint32_t blocks, uint32_t items) {
    if (blocks == 0)
      throw CallError(hipErrorInvalidConfiguration, fmt::format("gridDim.{} = 0: must be at least 1", axis));
    if (items == 0)
      throw CallError(hipErrorInvalidConfiguration, fmt::format("blockDim.{} = 0: must be at least 1", axis));
    if (uint64_t{blocks} * items > UINT32_MAX)
      throw CallError(hipErrorInvalidConfiguration,
                      fmt::format("gridDim.{0} * blockDim.{0} = {1}: must be below 2^32 work-items", axis,
                                  uint64_t{blocks} * items));
  };
  check_axis('x', grid.x, block.x);
  check_axis('y', grid.y, block.y);
  check_axis('z', grid.z, block.z);
  if (uint64_t{grid.x} * grid.y > UINT32_MAX || uint64_t{grid.x} * grid.y * grid.z > UINT32_MAX)
    throw CallError(
        hipErrorInvalidConfiguration,
        fmt::format("grid of {} x {} x {} workgroups: must be below 2^32", grid.x, grid.y, grid.z));
  const uint64_t items = block.x > most_work_items || block.y > most_work_items || block.z > most_work_items
                             ? UINT64_MAX
                             : uint64_t{block.x} * block.y * block.z;
  if (items > most_work_items)
    throw CallError(hipErrorInvalidConfiguration,
                    fmt::format("block of {} x {} x {} work-items: must be at most {}", block.x, block.y,
                                block.z, most_work_items));
  if (items > kernel.max_workgroup)
    throw CallError(hipErrorLaunchFailure,
                    fmt::format("block of {} x {} x {} work-items: kernel {} was compiled for at most {}",
                                block.x, block.y, block.z, kernel.name, kernel.max_workgroup));
  if (uint64_t{kernel.static_lds} + shape.dynamic_lds > target.lds_bytes_per_cu)
    throw CallError(hipErrorInvalidValue,
                    fmt::format("dynamic LDS = {}: static {} + dynamic must be at most {} bytes",
                                shape.dynamic_lds, kernel.static_lds, target.lds_bytes_per_cu));
}

void check_restriction(const std::vector<uint32_t>& workgroups, const Dim3& grid) {
  const uint64_t count = uint64_t{grid.x} * grid.y * grid.z;
  for (const uint32_t id : workgroups)
    if (id >= count)
      throw CallError(hipErrorInvalidValue,
                      fmt::format("restricted workgroup {}: the launch has {} workgroups", id, count));
}

void check_work(const std::vector<uint32_t>& work, const Dim3& grid) {
  const uint64_t count = uint64_t{grid.x} * grid.y * grid.z;
  if (work.size() != count)
    throw CallError(hipErrorInvalidValue,
                    fmt::format("work of {} workgroups: the launch has {}", work.size(), count));
}

// Device memory for the time of one launch.
class LaunchMemory {
 public:
  LaunchMemory(const void* contents, size_t bytes) {
    if (bytes == 0) return;
    pointer_ = machine::AddressSpace::device().allocate(bytes);
    if (!pointer_)
      throw CallError(hipErrorOutOfMemory,
                      fmt::format("out of device memory for {} bytes of arguments", bytes));
    if (contents) std::memcpy(pointer_, contents, bytes);
  }
  ~LaunchMemory() {
    if (pointer_) machine::AddressSpace::device().release(pointer_);
  }
  LaunchMemory(const LaunchMemory&) = delete;
  void* get() const { return pointer_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(pointer_); }

 private:
  void* pointer_ = nullptr;
};

// Scalar loads of up to 64 bytes may reach past the last argument: hardware's segment is padded likewise.
size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

hipError_t launch_ext(hipFunction_t function, const Dim3& items, const Dim3& block, size_t dynamic_lds,
                      hipStream_t stream, void** parameters, void** extra, hipEvent_t start,
                      hipEvent_t stop) {
  return call([&] {
    const KernelPointer kernel = require_kernel(function);
    const auto workgroups = [](char axis, uint32_t total, uint32_t size) {
      if (size == 0 || total % size != 0)
        throw CallError(hipErrorInvalidConfiguration,
                        fmt::format("globalWorkSize{} = {}: must be a multiple of localWorkSize{} = {}", axis,
                                    total, axis, size));
      return total / size;
    };
    if (dynamic_lds > target.lds_bytes_per_cu)
      throw CallError(hipErrorInvalidValue, fmt::format("sharedMemBytes = {}: must be at most {} bytes",
                                                        dynamic_lds, target.lds_bytes_per_cu));
    const LaunchShape shape{{workgroups('X', items.x, block.x), workgroups('Y', items.y, block.y),
                             workgroups('Z', items.z, block.z)},
                            block,
                            static_cast<uint32_t>(dynamic_lds)};
    record_event(start, stream);
    launch_kernel(kernel, shape, {parameters, extra}, stream);
    record_event(stop, stream);
  });
}

// All that a launch needs until it has ended.
class QueuedLaunch {
 public:
  QueuedLaunch(const PreparedLaunch& prepared, LaunchWishes wishes)
      : kernel_(prepared.kernel.lock()), prepared_(prepared), replayed_(replaying()),
        wishes_(std::move(wishes)), kernarg_(nullptr, padded(prepared.arguments.size())) {
    require(kernel_ != nullptr, hipErrorInvalidHandle, "the module of a graph's kernel was unloaded");
    if (!prepared.arguments.empty())
      std::memcpy(kernarg_.get(), prepared.arguments.data(), prepared.arguments.size());
    const LaunchShape& shape = prepared.shape;
    const DispatchPacket contents = build_packet(*kernel_, shape, kernarg_.address());
    packet_.emplace(contents.data(), contents.size());
    launch_.kernel = kernel_.get();
    const uint32_t grid[] = {shape.grid.x, shape.grid.y, shape.grid.z};
    const uint32_t block[] = {shape.block.x, shape.block.y, shape.block.z};
    std::copy(std::begin(grid), std::end(grid), launch_.grid);
    std::copy(std::begin(block), std::end(block), launch_.block);
    launch_.kernarg = kernarg_.address();
    launch_.dispatch_packet = packet_->address();
    launch_.dynamic_lds = shape.dynamic_lds;
    launch_.only = wishes_.only ? &*wishes_.only : nullptr;
    launch_.work = wishes_.work ? &*wishes_.work : nullptr;
    Runtime::get().prepare(launch_);
  }
  void run() { // what the kernel printed is out when the launch has ended
    DeviceServices services(*kernel_, static_cast<std::byte*>(kernarg_.get()));
    launch_.host = services.host();
    keep_launch(launch_, number_,
                services.any() ? "it may print, assert or allocate, which asks the host" : "");
    const LaunchUnderWay under_way;
    LoggedLaunch logged(*kernel_, prepared_.shape, prepared_.arguments, replayed_, number_);
    Runtime::execute(launch_);
    logged.ended();
  }

 private:
  const KernelPointer kernel_;
  const PreparedLaunch prepared_;
  const bool replayed_;
  const uint64_t number_ = next_launch_number();
  const LaunchWishes wishes_;
  const LaunchMemory kernarg_;
  std::optional<LaunchMemory> packet_;
  machine::Launch launch_;
};

} // namespace

PreparedLaunch prepare_launch(const KernelPointer& kernel, const LaunchShape& shape,
                              const ArgumentSource& source) {
  check_shape(*kernel, shape);
  return {kernel, shape, build_kernarg(*kernel, shape, source)};
}

LaunchWishes& next_launch_wishes() {
  thread_local LaunchWishes wishes;
  return wishes;
}

Work work_of(const PreparedLaunch& prepared, LaunchWishes wishes) {
  return [launch = std::make_shared<QueuedLaunch>(prepared, std::move(wishes))] { launch->run(); };
}

void launch_kernel(const KernelPointer& kernel, const LaunchShape& shape, const ArgumentSource& source,
                   hipStream_t stream) {
  const LaunchWishes wishes = std::exchange(next_launch_wishes(), {});
  require_stream(stream);
  const PreparedLaunch prepared = prepare_launch(kernel, shape, source);
  if (wishes.only) check_restriction(*wishes.only, shape.grid);
  if (wishes.work) check_work(*wishes.work, shape.grid);
  enqueue(stream, NodeType::kernel, [prepared, wishes] { return work_of(prepared, wishes); });
}

FMHA950_HIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                                 unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                                 void** parameters, void** extra) {
  return call([&] {
    launch_kernel(require_kernel(function),
                  {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_lds}, {parameters, extra},
                  stream);
  });
}

FMHA950_HIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x,
                                                    uint32_t items_y, uint32_t items_z, uint32_t block_x,
                                                    uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                                                    hipStream_t stream, void** parameters, void** extra,
                                                    hipEvent_t start, hipEvent_t stop, uint32_t) {
  return launch_ext(function, {items_x, items_y, items_z}, {block_x, block_y, block_z}, dynamic_lds, stream,
                    parameters, extra, start, stop);
}
// hip_ext.h of HIP 5 declares it without extern "C".
FMHA950_HIP_API hipError_t hipExtModuleLaunchKernelCxx(
    hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void**,
    void**, hipEvent_t, hipEvent_t, uint32_t) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_"
                                                      "tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j")
    __attribute__((alias("hipExtModuleLaunchKernel")));
FMHA950_HIP_API hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x,
                                                    uint32_t items_y, uint32_t items_z, uint32_t block_x,
                                                    uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                                                    hipStream_t stream, void** parameters, void** extra,
                                                    hipEvent_t start, hipEvent_t stop) {
  return launch_ext(function, {items_x, items_y, items_z}, {block_x, block_y, block_z}, dynamic_lds, stream,
                    parameters, extra, start, stop);
}

// Workgroups run in the order the device likes, not all at once, so a grid barrier could wait for ever.
FMHA950_HIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned,
                                                            unsigned, unsigned, unsigned, unsigned,
                                                            hipStream_t, void**) {
  return call([] { throw CallError(hipErrorNotSupported, "cooperative launches are not supported"); });
}
FMHA950_HIP_API hipError_t hipLaunchCooperativeKernel(const void*, Dim3, Dim3, void**, unsigned,
                                                      hipStream_t) {
  return call([] { throw CallError(hipErrorNotSupported, "cooperative launches are not supported"); });
}

} // namespace fmha950::hip
