// Errors, device memory and launches on top of the HIP table.
#include "interface/hip.hpp"

#include "interface/error.hpp"

#include <fmt/format.h>
#include <utility>

namespace fmha950::hip {
namespace {

constexpr int host_to_device = 1, device_to_host = 2; // hipMemcpyKind

// HIP_LAUNCH_PARAM_* of hip_runtime_api.h: the kernel's arguments as one block of bytes.
void* const launch_buffer = reinterpret_cast<void*>(1);
void* const launch_buffer_size = reinterpret_cast<void*>(2);
void* const launch_end = reinterpret_cast<void*>(3);

std::function<void(size_t, const Kernel&)> before_launch;
size_t watched_launches = 0;

void require_inside(std::string_view call, size_t offset, size_t bytes, size_t size) {
  if (offset > size || bytes > size - offset)
    throw InvalidInput(std::string(call), fmt::format("[{}, {})", offset, offset + bytes),
                       fmt::format("must lie within the buffer's {} bytes", size));
}

} // namespace

void check(Error error, std::string_view call) {
  if (error == 0) return;
  const Table& table = api();
  // Asked first: the calls that name the error are calls, too.
  const std::string detail = table.LastErrorDetail ? table.LastErrorDetail() : "";
  std::string text = fmt::format("{}: {} ({})", call, table.GetErrorName(error), table.GetErrorString(error));
  if (!detail.empty()) text += "\n" + detail;
  throw DeviceError(text);
}

Buffer::Buffer(size_t bytes) : bytes_(bytes) {
  if (bytes > 0) check(api().Malloc(&pointer_, bytes), fmt::format("hipMalloc({} bytes)", bytes));
}

Buffer::~Buffer() {
  if (pointer_) api().Free(pointer_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : pointer_(std::exchange(other.pointer_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(pointer_, other.pointer_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void Buffer::upload(const void* host, size_t bytes, size_t offset) {
  require_inside("upload", offset, bytes, bytes_);
  if (bytes > 0)
    check(api().Memcpy(as<std::byte>() + offset, host, bytes, host_to_device), "hipMemcpy to device");
}

void Buffer::download(void* host, size_t bytes, size_t offset) const {
  require_inside("download", offset, bytes, bytes_);
  if (bytes > 0)
    check(api().Memcpy(host, as<std::byte>() + offset, bytes, device_to_host), "hipMemcpy to host");
}

void Buffer::fill(int byte) {
  if (bytes_ > 0) check(api().Memset(pointer_, byte, bytes_), "hipMemset");
}

LaunchWatch::LaunchWatch(std::function<void(size_t launch, const Kernel& kernel)> before) {
  before_launch = std::move(before);
  watched_launches = 0;
}

LaunchWatch::~LaunchWatch() { before_launch = nullptr; }

void launch(const Kernel& kernel, Dim3 grid, Dim3 block, const void* argument, size_t argument_bytes,
            Stream stream, const std::vector<uint32_t>* only, unsigned dynamic_lds,
            const std::vector<uint32_t>& work) {
  if (only && only->empty()) return;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  if (before_launch) before_launch(watched_launches++, kernel);
  const Table& table = api();
  if (only) {
    if (!table.RestrictNextLaunch)
      throw DeviceError(
          fmt::format("{}: only the embedded device can restrict a launch to chosen workgroups, "
                      "and this is {}",
                      kernel.name, runtime().device));
    check(table.RestrictNextLaunch(only->data(), only->size()), "fmha950RestrictNextLaunch");
    if (!work.empty() && table.WorkOfNextLaunch)
      check(table.WorkOfNextLaunch(work.data(), work.size()), "fmha950WorkOfNextLaunch");
  }
  void* extra[] = {launch_buffer, const_cast<void*>(argument), launch_buffer_size, &argument_bytes,
                   launch_end};
  check(table.ModuleLaunchKernel(kernel.function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                 dynamic_lds, stream, nullptr, extra),
        fmt::format("launch of {}", kernel.name));
}

} // namespace fmha950::hip
