// A host program against real HIP headers (Debian's libamdhip64-dev), when they are installed: the compiler
// checks the runtime's structures and signatures, then the program runs on the device.
#include "emulator/hip/properties.hpp"

#include <cstdio>
#include <cstring>
#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>

using Ours = fmha950::hip::PropertiesR0000;
#define SAME_PLACE(field) static_assert(offsetof(Ours, field) == offsetof(hipDeviceProp_t, field))
SAME_PLACE(totalGlobalMem);
SAME_PLACE(warpSize);
SAME_PLACE(maxGridSize);
SAME_PLACE(totalConstMem);
SAME_PLACE(multiProcessorCount);
SAME_PLACE(clockInstructionRate);
SAME_PLACE(arch);
SAME_PLACE(maxSharedMemoryPerMultiProcessor);
SAME_PLACE(gcnArchName);
SAME_PLACE(cooperativeLaunch);
SAME_PLACE(maxTexture3D);
SAME_PLACE(hdpMemFlushCntl);
SAME_PLACE(texturePitchAlignment);
SAME_PLACE(isLargeBar);
SAME_PLACE(pageableMemoryAccessUsesHostPageTables);
static_assert(sizeof(Ours) == sizeof(hipDeviceProp_t));

#define CHECK(condition)                                                                                     \
  if (!(condition)) {                                                                                        \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                     \
    return 1;                                                                                                \
  }

int main() {
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0) == hipSuccess);
  CHECK(std::strcmp(properties.gcnArchName, "gfx950:sramecc+:xnack-") == 0);
  CHECK(properties.warpSize == 64 && properties.multiProcessorCount == 256);
  CHECK(properties.arch.hasDoubles && !properties.arch.hasDynamicParallelism);
  const auto attribute = [](hipDeviceAttribute_t id) {
    int value = -1;
    return hipDeviceGetAttribute(&value, id, 0) == hipSuccess ? value : -1;
  };
  CHECK(attribute(hipDeviceAttributeComputeCapabilityMajor) == 9);
  CHECK(attribute(hipDeviceAttributeComputeCapabilityMinor) == 5);
  CHECK(attribute(hipDeviceAttributeMaxSharedMemoryPerBlock) == 160 * 1024);
  CHECK(attribute(hipDeviceAttributeWarpSize) == 64);
  CHECK(attribute(hipDeviceAttributeL2CacheSize) == 4 << 20);
  CHECK(attribute(hipDeviceAttributeMaxThreadsPerMultiProcessor) == 2048);
  CHECK(attribute(hipDeviceAttributeTotalConstantMemory) > 0);
  CHECK(attribute(hipDeviceAttributePhysicalMultiProcessorCount) == 256);
  CHECK(attribute(hipDeviceAttributeMaxTexture3DAlt) == -1);

  hipModule_t module;
  hipFunction_t function;
  CHECK(hipModuleLoad(&module, CODE_OBJECTS "/hip_kernels_v6.co") == hipSuccess);
  CHECK(hipModuleGetFunction(&function, module, "mark_workgroup") == hipSuccess);
  hipStream_t stream;
  hipEvent_t start, stop;
  CHECK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, 0) == hipSuccess);
  CHECK(hipEventCreate(&start) == hipSuccess && hipEventCreate(&stop) == hipSuccess);
  int* out = nullptr;
  CHECK(hipMallocAsync(reinterpret_cast<void**>(&out), 4 * sizeof(int), stream) == hipSuccess);
  CHECK(hipMemsetAsync(out, 0, 4 * sizeof(int), stream) == hipSuccess);
  struct {
    int* out;
    int columns;
  } arguments{out, 4};
  size_t bytes = sizeof arguments;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  CHECK(hipExtModuleLaunchKernel(function, 128, 1, 1, 64, 1, 1, 0, stream, nullptr, extra, start, stop) ==
        hipSuccess);
  CHECK(hipModuleLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, stream, nullptr, extra) == hipSuccess);
  int values[4];
  CHECK(hipMemcpyAsync(values, out, sizeof values, hipMemcpyDeviceToHost, stream) == hipSuccess);
  CHECK(hipStreamSynchronize(stream) == hipSuccess);
  CHECK(values[0] == 2 && values[1] == 2 && values[2] == 1 && values[3] == 1);
  float milliseconds = -1;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop) == hipSuccess && milliseconds >= 0);
  CHECK(hipFreeAsync(out, stream) == hipSuccess && hipStreamDestroy(stream) == hipSuccess);
  CHECK(hipModuleUnload(module) == hipSuccess);
  return 0;
}
