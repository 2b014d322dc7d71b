// Names and texts of error codes.
#include "emulator/hip/hip_abi.hpp"

namespace fmha950::hip {
namespace {

struct ErrorText {
  hipError_t code;
  const char *name, *text;
};

constexpr ErrorText texts[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {hipErrorMissingConfiguration, "hipErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorInvalidContext, "hipErrorInvalidContext", "invalid device context"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image is available for execution on the device"},
    {hipErrorUnsupportedLimit, "hipErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
};

const ErrorText& find(hipError_t code) {
  for (const ErrorText& entry : texts)
    if (entry.code == code) return entry;
  return find(hipErrorUnknown);
}

} // namespace

FMHA950_HIP_API const char* hipGetErrorName(hipError_t error) { return find(error).name; }
FMHA950_HIP_API const char* hipGetErrorString(hipError_t error) { return find(error).text; }

// The driver-style calls write through a pointer and refuse codes they do not know.
FMHA950_HIP_API hipError_t hipDrvGetErrorName(hipError_t error, const char** name) {
  if (!name || find(error).code != error) return hipErrorInvalidValue;
  *name = find(error).name;
  return hipSuccess;
}
FMHA950_HIP_API hipError_t hipDrvGetErrorString(hipError_t error, const char** text) {
  if (!text || find(error).code != error) return hipErrorInvalidValue;
  *text = find(error).text;
  return hipSuccess;
}

} // namespace fmha950::hip
