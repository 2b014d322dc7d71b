// Functions by their names, and names of functions.
#include "emulator/hip/registration.hpp"
#include "emulator/hip/streams.hpp"

#include <cstring>
#include <dlfcn.h>

namespace fmha950::hip {
namespace {

enum QueryResult : int { found = 0, not_found = 1 }; // hipDriverProcAddressQueryResult

// HIP 6 changed the properties' layout, and its headers rename the calls.
std::string exported_name(std::string_view symbol, int version) {
  const bool renamed = symbol == "hipGetDeviceProperties" || symbol == "hipChooseDevice";
  return std::string(symbol) + (renamed && (version == 0 || version >= 600) ? "R0600" : "");
}

// Of this library, whatever others the process has loaded.
void* function_named(const std::string& name) {
  Dl_info self{};
  if (!name.starts_with("hip") || !dladdr(reinterpret_cast<void*>(&function_named), &self)) return nullptr;
  void* const library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (!library) return nullptr;
  void* const address = dlsym(library, name.c_str());
  dlclose(library); // it stays loaded: this code is in it
  return address;
}

hipError_t look_up(const char* symbol, void** function, int version, QueryResult* result) {
  return call(AfterFault::ignore, [&] {
    require(symbol && function, hipErrorInvalidValue, "symbol or pfn is null");
    *function = function_named(exported_name(symbol, version));
    if (result) *result = *function ? found : not_found;
    if (!*function && !result)
      throw CallError(hipErrorNotFound, fmt::format("symbol = {}: no function of HIP", symbol));
  });
}

} // namespace

FMHA950_HIP_API hipError_t hipGetProcAddress(const char* symbol, void** function, int version, uint64_t,
                                             QueryResult* result) {
  return look_up(symbol, function, version, result);
}
FMHA950_HIP_API hipError_t hipGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                                  QueryResult* result) {
  return look_up(symbol, function, 0, result);
}

// Tracers' numbers of calls; none is traced here.
FMHA950_HIP_API const char* hipApiName(uint32_t) { return "unknown"; }
FMHA950_HIP_API const char* hipKernelNameRef(hipFunction_t function) {
  const char* name = nullptr;
  call([&] { name = require_kernel(function)->name.c_str(); });
  return name;
}
FMHA950_HIP_API const char* hipKernelNameRefByPtr(const void* host_function, hipStream_t) {
  const char* name = nullptr;
  call([&] { name = require_kernel(registered_function(host_function))->name.c_str(); });
  return name;
}
FMHA950_HIP_API int hipGetStreamDeviceId(hipStream_t stream) {
  return call([&] { require_stream(stream); }) == hipSuccess ? 0 : -1;
}

struct ChannelFormat { // hipChannelFormatDesc
  int x, y, z, w, kind;
};
FMHA950_HIP_API ChannelFormat hipCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

} // namespace fmha950::hip
