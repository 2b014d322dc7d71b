// A HIP library as a GPU's would be, for tests of what is measured: the embedded device behind it (its path
// in FMHA950_MEASURED_HIP), none of its extensions, and a clock of its own. A launch takes a millisecond,
// or 1.5 after the caches were overwritten. Between two events nothing is executed: by then the results have
// been judged, and time is all that is asked for.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {

void* real(const char* name) {
  static void* const library = dlopen(std::getenv("FMHA950_MEASURED_HIP"), RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : nullptr;
}

constexpr size_t caches = size_t{256} << 20;
double seconds = 0;
bool cold = false, between_events = false;
void* stamp_kernel = nullptr;
double events[64];
size_t event_count = 0;

double hertz() {
  const char* chosen = std::getenv("FMHA950_MEASURED_HERTZ");
  return chosen ? std::atof(chosen) : 2.4e9;
}

struct Stamp {
  uint64_t clocks, ticks, chiplet;
};
constexpr Stamp unwritten{~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
constexpr int invalid_value = 1; // hipErrorInvalidValue

} // namespace

#define FORWARD(name, parameters, arguments)                                                                 \
  int name parameters {                                                                                      \
    static const auto function = reinterpret_cast<int(*) parameters>(real(#name));                           \
    return function arguments;                                                                               \
  }

extern "C" {

FORWARD(hipGetDeviceCount, (int* count), (count))
FORWARD(hipSetDevice, (int device), (device))
FORWARD(hipDeviceGetAttribute, (int* value, int attribute, int device), (value, attribute, device))
FORWARD(hipDriverGetVersion, (int* version), (version))
FORWARD(hipMalloc, (void** pointer, size_t bytes), (pointer, bytes))
FORWARD(hipFree, (void* pointer), (pointer))
FORWARD(hipMemcpy, (void* to, const void* from, size_t bytes, int kind), (to, from, bytes, kind))
FORWARD(hipMemcpyAsync, (void* to, const void* from, size_t bytes, int kind, void* stream),
        (to, from, bytes, kind, stream))
FORWARD(hipMemGetInfo, (size_t* free, size_t* total), (free, total))
FORWARD(hipDeviceSynchronize, (), ())
FORWARD(hipStreamCreate, (void** stream), (stream))
FORWARD(hipStreamDestroy, (void* stream), (stream))
FORWARD(hipStreamSynchronize, (void* stream), (stream))
FORWARD(hipModuleLoadData, (void** module, const void* image), (module, image))
FORWARD(hipModuleUnload, (void* module), (module))

int hipDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "measured gfx950", static_cast<size_t>(length));
  return 0;
}
const char* hipGetErrorName(int error) {
  return reinterpret_cast<const char* (*)(int)>(real("hipGetErrorName"))(error);
}
const char* hipGetErrorString(int error) {
  return reinterpret_cast<const char* (*)(int)>(real("hipGetErrorString"))(error);
}

int hipMemset(void* pointer, int byte, size_t bytes) {
  if (bytes > caches) return cold = true, 0; // whose content nobody reads
  return reinterpret_cast<int (*)(void*, int, size_t)>(real("hipMemset"))(pointer, byte, bytes);
}

int hipModuleGetFunction(void** function, void* module, const char* name) {
  const int error = reinterpret_cast<int (*)(void**, void*, const char*)>(real("hipModuleGetFunction"))(
      function, module, name);
  if (std::strcmp(name, "perf_clock_stamp") == 0) stamp_kernel = *function;
  return error;
}

int hipModuleLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned lds, void* stream, void** parameters, void** extra) {
  const auto launch = [&] {
    return reinterpret_cast<decltype(&hipModuleLaunchKernel)>(real("hipModuleLaunchKernel"))(
        function, gx, gy, gz, bx, by, bz, lds, stream, parameters, extra);
  };
  if (function == stamp_kernel) { // which is executed; the chiplet that it finds stays
    Stamp* place;
    std::memcpy(&place, extra[1], sizeof place);
    *place = unwritten;
    const int error = launch();
    hipStreamSynchronize(stream);
    if (place->clocks == unwritten.clocks || place->ticks == unwritten.ticks) return invalid_value;
    place->clocks = static_cast<uint64_t>(seconds * hertz());
    place->ticks = static_cast<uint64_t>(seconds * 100e6);
    return error;
  }
  seconds += cold ? 1.5e-3 : 1e-3;
  cold = false;
  return between_events ? 0 : launch();
}

int hipEventCreate(void** event) { return *event = &events[event_count++ % 64], 0; }
int hipEventDestroy(void*) { return 0; }
int hipEventRecord(void* event, void*) {
  between_events = !between_events;
  return *static_cast<double*>(event) = seconds, 0;
}
int hipEventSynchronize(void*) { return 0; }
int hipEventElapsedTime(float* milliseconds, void* begin, void* end) {
  *milliseconds = static_cast<float>(1e3 * (*static_cast<double*>(end) - *static_cast<double*>(begin)));
  return 0;
}

} // extern "C"
