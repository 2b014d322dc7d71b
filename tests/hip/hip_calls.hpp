#pragma once
// The HIP C ABI as a C program sees it, declared here independently of the runtime's own headers.

#include <cstddef>
#include <cstdint>

struct HipDim3 {
  uint32_t x, y, z;
};

extern "C" {
int hipInit(unsigned);
int hipGetDeviceCount(int*);
int hipSetDevice(int);
int hipDeviceGetName(char*, int, int);
int hipDeviceTotalMem(size_t*, int);
int hipDeviceComputeCapability(int*, int*, int);
int hipDeviceGetAttribute(int*, int, int);
int hipGetDeviceProperties(void*, int);
int hipGetDevicePropertiesR0600(void*, int);
int hipDeviceSynchronize();
int hipDeviceReset();
int hipGetLastError();
int hipPeekAtLastError();
const char* hipGetErrorName(int);
const char* hipGetErrorString(int);

int hipMalloc(void**, size_t);
int hipFree(void*);
int hipHostMalloc(void**, size_t, unsigned);
int hipHostFree(void*);
int hipHostRegister(void*, size_t, unsigned);
int hipHostUnregister(void*);
int hipHostGetDevicePointer(void**, void*, unsigned);
int hipMallocManaged(void**, size_t, unsigned);
int hipMemGetInfo(size_t*, size_t*);
int hipMemcpy(void*, const void*, size_t, int);
int hipMemcpyAsync(void*, const void*, size_t, int, void*);
int hipMemcpyDtoH(void*, void*, size_t);
int hipMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, int);
int hipMemset(void*, int, size_t);
int hipMemsetD16(void*, unsigned short, size_t);
int hipMemsetD32(void*, int, size_t);
int hipPointerGetAttributes(void*, const void*);
int hipMemGetAddressRange(void**, size_t*, void*);

int hipModuleLoad(void**, const char*);
int hipModuleLoadData(void**, const void*);
int hipModuleUnload(void*);
int hipModuleGetFunction(void**, void*, const char*);
int hipModuleGetGlobal(void**, size_t*, void*, const char*);
int hipFuncGetAttribute(int*, int, void*);
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int*, void*, int, size_t);
int hipModuleLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                          void**, void**);
int hipExtModuleLaunchKernel(void*, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, void*,
                             void**, void**, void*, void*, uint32_t);
int hipLaunchKernel(const void*, HipDim3, HipDim3, void**, size_t, void*);

int hipStreamCreate(void**);
int hipStreamCreateWithFlags(void**, unsigned);
int hipStreamDestroy(void*);
int hipStreamSynchronize(void*);
int hipStreamQuery(void*);
int hipStreamAddCallback(void*, void (*)(void*, int, void*), void*, unsigned);
int hipStreamWaitEvent(void*, void*, unsigned);
int hipEventCreate(void**);
int hipEventCreateWithFlags(void**, unsigned);
int hipEventDestroy(void*);
int hipEventRecord(void*, void*);
int hipEventSynchronize(void*);
int hipEventQuery(void*);
int hipEventElapsedTime(float*, void*, void*);

const char* fmha950LastFault();
const char* fmha950LastErrorDetail();
int fmha950ClearFault();
int fmha950RestrictNextLaunch(const uint32_t*, size_t);
int fmha950WorkOfNextLaunch(const uint32_t*, size_t);
int fmha950SetOption(const char*, const char*);
const char* fmha950Coverage();
const char* fmha950Hazards(const char*);
int fmha950ClearHazards();
int fmha950HostRead(const void*, size_t);
int fmha950HostReadPieces(const void* const*, size_t, size_t);
int fmha950HostWrote(const void*, size_t);
int fmha950HostWrotePieces(const void* const*, size_t, size_t);
const char* fmha950Timings();
const char* fmha950Paths();
}

// The codes that the tests expect (hip_runtime_api.h).
constexpr int invalid_value = 1, out_of_memory = 2, invalid_configuration = 9, invalid_direction = 21;
constexpr int invalid_device_function = 98, invalid_device = 101, invalid_image = 200, no_binary = 209;
constexpr int file_not_found = 301, invalid_handle = 400, not_found = 500, already_registered = 712;
constexpr int not_registered = 713, launch_failure = 719;
constexpr int not_ready = 600;
constexpr int to_device = 1, to_host = 2;
