// NAME_spt is NAME where the null stream means hipStreamPerThread: what programs compiled with
// -fgpu-default-stream=per-thread call. Those without a definition here are NAME itself (cmake/HipNames.cmake).
#include "emulator/hip/hip_abi.hpp"

#include <cstddef>

// Puts hipStreamPerThread into the argument of the stream if that is null, and goes on in NAME. The place is that of the System V
// ABI: a register, or 16(%rsp) for the second argument on the stack.
#define FMHA950_STREAM_IN(place, name)                                                                       \
  __asm__(".text\n.globl " #name "_spt\n.type " #name "_spt, @function\n" #name "_spt:\n"                    \
          "cmpq $0, " place "\njne 1f\nmovq $2, " place "\n1: jmp " #name "@PLT\n"                           \
          ".size " #name "_spt, .-" #name "_spt\n");

FMHA950_STREAM_IN("%rdi", hipStreamGetFlags)
FMHA950_STREAM_IN("%rdi", hipStreamGetPriority)
FMHA950_STREAM_IN("%rdi", hipStreamQuery)
FMHA950_STREAM_IN("%rdi", hipStreamSynchronize)
FMHA950_STREAM_IN("%rdi", hipStreamWaitEvent)
FMHA950_STREAM_IN("%rdi", hipStreamAddCallback)
FMHA950_STREAM_IN("%rdi", hipStreamBeginCapture)
FMHA950_STREAM_IN("%rdi", hipStreamEndCapture)
FMHA950_STREAM_IN("%rdi", hipStreamIsCapturing)
FMHA950_STREAM_IN("%rdi", hipStreamGetCaptureInfo)
FMHA950_STREAM_IN("%rdi", hipStreamGetCaptureInfo_v2)
FMHA950_STREAM_IN("%rdi", hipLaunchHostFunc)
FMHA950_STREAM_IN("%rsi", hipEventRecord)
FMHA950_STREAM_IN("%rsi", hipGraphLaunch)
FMHA950_STREAM_IN("%rsi", hipMemset3DAsync)
FMHA950_STREAM_IN("%rcx", hipMemsetAsync)
FMHA950_STREAM_IN("%r8", hipMemcpyAsync)
FMHA950_STREAM_IN("%r9", hipMemset2DAsync)
FMHA950_STREAM_IN("%r9", hipMemcpyFromSymbolAsync)
FMHA950_STREAM_IN("%r9", hipMemcpyToSymbolAsync)
FMHA950_STREAM_IN("16(%rsp)", hipMemcpy2DAsync)
FMHA950_STREAM_IN("16(%rsp)", hipLaunchKernel)
FMHA950_STREAM_IN("16(%rsp)", hipLaunchCooperativeKernel)

namespace fmha950::hip {

FMHA950_HIP_API hipError_t hipStreamSynchronize(hipStream_t);
FMHA950_HIP_API hipError_t hipMemcpyAsync(void*, const void*, size_t, int, hipStream_t);
FMHA950_HIP_API hipError_t hipMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, int,
                                            hipStream_t);
FMHA950_HIP_API hipError_t hipMemcpyFromSymbolAsync(void*, const void*, size_t, size_t, int, hipStream_t);
FMHA950_HIP_API hipError_t hipMemcpyToSymbolAsync(const void*, const void*, size_t, size_t, int, hipStream_t);
FMHA950_HIP_API hipError_t hipMemsetAsync(void*, int, size_t, hipStream_t);
FMHA950_HIP_API hipError_t hipMemset2DAsync(void*, size_t, int, size_t, size_t, hipStream_t);

namespace {

// What a call without a stream does, in the stream of the thread.
template <class... Parameters>
hipError_t finished(hipError_t (*function)(Parameters..., hipStream_t), Parameters... arguments) {
  const auto per_thread = reinterpret_cast<hipStream_t>(2);
  const hipError_t error = function(arguments..., per_thread);
  return error == hipSuccess ? hipStreamSynchronize(per_thread) : error;
}

} // namespace

FMHA950_HIP_API hipError_t hipMemcpy_spt(void* to, const void* from, size_t bytes, int kind) {
  return finished<void*, const void*, size_t, int>(hipMemcpyAsync, to, from, bytes, kind);
}
FMHA950_HIP_API hipError_t hipMemcpy2D_spt(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                           size_t width, size_t height, int kind) {
  return finished<void*, size_t, const void*, size_t, size_t, size_t, int>(
      hipMemcpy2DAsync, to, to_pitch, from, from_pitch, width, height, kind);
}
FMHA950_HIP_API hipError_t hipMemcpyFromSymbol_spt(void* to, const void* symbol, size_t bytes, size_t offset,
                                                   int kind) {
  return finished<void*, const void*, size_t, size_t, int>(hipMemcpyFromSymbolAsync, to, symbol, bytes,
                                                           offset, kind);
}
FMHA950_HIP_API hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* from, size_t bytes,
                                                 size_t offset, int kind) {
  return finished<const void*, const void*, size_t, size_t, int>(hipMemcpyToSymbolAsync, symbol, from, bytes,
                                                                 offset, kind);
}
FMHA950_HIP_API hipError_t hipMemset_spt(void* to, int value, size_t bytes) {
  return finished<void*, int, size_t>(hipMemsetAsync, to, value, bytes);
}
FMHA950_HIP_API hipError_t hipMemset2D_spt(void* to, size_t pitch, int value, size_t width, size_t height) {
  return finished<void*, size_t, int, size_t, size_t>(hipMemset2DAsync, to, pitch, value, width, height);
}

} // namespace fmha950::hip
