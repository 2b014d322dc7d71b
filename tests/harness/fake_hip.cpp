// A HIP library whose device memory is host memory and that launches nothing: what the harness's tests run
// on, so that they do not depend on the embedded device.
// It refuses the option value "refused", and the option "fault" stops it until the fault is cleared. With the option
// "modules" = "load" it says that it has loaded modules and found their functions.
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

bool faulted = false, loads_modules = false;

} // namespace

extern "C" {

int hipGetDeviceCount(int* count) { return *count = 1, 0; }
int hipSetDevice(int) { return 0; }
int hipDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 23 ? 9 : attribute == 61 ? 5 : 0; // compute capability 9.5
  return 0;
}
int hipDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "fake gfx950", static_cast<size_t>(length));
  return 0;
}
int hipDriverGetVersion(int* version) { return *version = 1, 0; }
int hipMalloc(void** pointer, size_t bytes) {
  *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return 0;
}
int hipFree(void* pointer) { return std::free(pointer), 0; }
int hipMemcpy(void* to, const void* from, size_t bytes, int) { return std::memcpy(to, from, bytes), 0; }
int hipMemcpyAsync(void* to, const void* from, size_t bytes, int, void*) {
  return std::memcpy(to, from, bytes), 0;
}
int hipMemset(void* to, int byte, size_t bytes) { return std::memset(to, byte, bytes), 0; }
int hipMemGetInfo(size_t* free, size_t* total) { return *free = *total = size_t{1} << 30, 0; }
int hipDeviceSynchronize() { return faulted ? 719 : 0; }
int hipStreamCreate(void**) { return 0; }
int hipStreamDestroy(void*) { return 0; }
int hipStreamSynchronize(void*) { return 0; }
int hipEventCreate(void**) { return 0; }
int hipEventDestroy(void*) { return 0; }
int hipEventRecord(void*, void*) { return 0; }
int hipEventSynchronize(void*) { return 0; }
int hipEventElapsedTime(float* milliseconds, void*, void*) { return *milliseconds = 0, 0; }
int hipModuleLoadData(void**, const void*) { return loads_modules ? 0 : 1; }
int hipModuleUnload(void*) { return 0; }
int hipModuleGetFunction(void**, void*, const char*) { return loads_modules ? 0 : 1; }
int hipModuleLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                          void**, void**) {
  return 1;
}
const char* hipGetErrorName(int) { return "hipErrorFake"; }
const char* hipGetErrorString(int) { return "fake error"; }
const char* fmha950LastFault() { return ""; }
const char* fmha950LastErrorDetail() { return "schedule = refused: the fake says so"; }
int fmha950RestrictNextLaunch(const uint32_t*, size_t) { return 0; }
int fmha950SetOption(const char* name, const char* value) {
  if (std::strcmp(name, "fault") == 0) faulted = true;
  if (std::strcmp(name, "modules") == 0) loads_modules = std::strcmp(value, "load") == 0;
  return std::strcmp(value, "refused") == 0;
}
int fmha950ClearFault() { return faulted = false, 0; }

} // extern "C"
