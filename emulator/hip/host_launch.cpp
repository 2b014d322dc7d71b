// kernel<<<grid, block, lds, stream>>>(...) as clang compiles it: push the configuration, call the host stub,
// which pops it and calls hipLaunchKernel. And the calls that take host symbols.
#include "emulator/hip/launch.hpp"
#include "emulator/hip/registration.hpp"

namespace fmha950::hip {

FMHA950_HIP_API hipError_t hipMemcpy(void* to, const void* from, size_t bytes, int kind);
FMHA950_HIP_API hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, int kind,
                                          hipStream_t stream);

namespace {

struct Configuration {
  Dim3 grid, block;
  size_t dynamic_lds;
  hipStream_t stream;
};
thread_local std::vector<Configuration> configurations;

hipError_t launch(const void* host_function, const Dim3& grid, const Dim3& block, void** arguments,
                  size_t dynamic_lds, hipStream_t stream, hipEvent_t start = nullptr,
                  hipEvent_t stop = nullptr) {
  return call([&] {
    require(dynamic_lds <= UINT32_MAX, hipErrorInvalidValue, "dynamic LDS does not fit 32 bits");
    const KernelPointer kernel = require_kernel(registered_function(host_function));
    record_event(start, stream);
    launch_kernel(kernel, {grid, block, static_cast<uint32_t>(dynamic_lds)}, {arguments, nullptr}, stream);
    record_event(stop, stream);
  });
}

char* symbol_range(const void* symbol, size_t offset, size_t bytes) {
  const loader::Global& global = registered_variable(symbol);
  if (offset > global.bytes || bytes > global.bytes - offset)
    throw CallError(hipErrorInvalidValue, fmt::format("offset {} + {} bytes: variable {} has {} bytes",
                                                      offset, bytes, global.name, global.bytes));
  return reinterpret_cast<char*>(global.address) + offset;
}

} // namespace

FMHA950_HIP_API hipError_t __hipPushCallConfiguration(Dim3 grid, Dim3 block, size_t dynamic_lds,
                                                      hipStream_t stream) {
  configurations.push_back({grid, block, dynamic_lds, stream});
  return hipSuccess;
}
FMHA950_HIP_API hipError_t __hipPopCallConfiguration(Dim3* grid, Dim3* block, size_t* dynamic_lds,
                                                     hipStream_t* stream) {
  return call(AfterFault::ignore, [&] {
    require(!configurations.empty(), hipErrorMissingConfiguration,
            "a kernel's stub was called without <<<...>>>");
    const Configuration& top = configurations.back();
    *grid = top.grid;
    *block = top.block;
    *dynamic_lds = top.dynamic_lds;
    *stream = top.stream;
    configurations.pop_back();
  });
}

FMHA950_HIP_API hipError_t hipLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                           size_t dynamic_lds, hipStream_t stream) {
  return launch(function, grid, block, arguments, dynamic_lds, stream);
}
FMHA950_HIP_API hipError_t hipExtLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                              size_t dynamic_lds, hipStream_t stream, hipEvent_t start,
                                              hipEvent_t stop, int) {
  return launch(function, grid, block, arguments, dynamic_lds, stream, start, stop);
}

FMHA950_HIP_API hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  return call([&] {
    require(address, hipErrorInvalidValue, "devPtr is null");
    *address = symbol_range(symbol, 0, 0);
  });
}
FMHA950_HIP_API hipError_t hipGetSymbolSize(size_t* bytes, const void* symbol) {
  return call([&] {
    require(bytes, hipErrorInvalidValue, "size is null");
    *bytes = registered_variable(symbol).bytes;
  });
}
FMHA950_HIP_API hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, size_t bytes,
                                             size_t offset, int kind) {
  void* to = nullptr;
  const hipError_t error = call([&] { to = symbol_range(symbol, offset, bytes); });
  return error == hipSuccess ? hipMemcpy(to, from, bytes, kind) : error;
}
FMHA950_HIP_API hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                                  size_t offset, int kind, hipStream_t stream) {
  void* to = nullptr;
  const hipError_t error = call([&] { to = symbol_range(symbol, offset, bytes); });
  return error == hipSuccess ? hipMemcpyAsync(to, from, bytes, kind, stream) : error;
}
FMHA950_HIP_API hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                                    int kind, hipStream_t stream) {
  const void* from = nullptr;
  const hipError_t error = call([&] { from = symbol_range(symbol, offset, bytes); });
  return error == hipSuccess ? hipMemcpyAsync(to, from, bytes, kind, stream) : error;
}
FMHA950_HIP_API hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                               int kind) {
  const void* from = nullptr;
  const hipError_t error = call([&] { from = symbol_range(symbol, offset, bytes); });
  return error == hipSuccess ? hipMemcpy(to, from, bytes, kind) : error;
}

} // namespace fmha950::hip
