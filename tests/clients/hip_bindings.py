"""ROCm's Python bindings of HIP, under their new name and as hip-python: properties, copies, a stream, events, and a launch
of the module in CLIENT_MODULE."""
import ctypes
import os

import numpy
import rocm.bindings.hip
from hip import hip

from fmha950_hip import Hip
from judge import refused, require


def call(answer):
    error, *results = answer
    assert error == hip.hipError_t.hipSuccess, error
    return results[0] if results else None


assert hip.hipMalloc is rocm.bindings.hip.hipMalloc
assert str(call(hip.hipGetDeviceProperties(0)).gcnArchName).startswith("gfx950")

n = 1000
x = numpy.arange(n, dtype=numpy.float32)
on_device = call(hip.hipMalloc(x.nbytes))
stream, begin, end = call(hip.hipStreamCreate()), call(hip.hipEventCreate()), call(hip.hipEventCreate())
function = call(hip.hipModuleGetFunction(call(hip.hipModuleLoad(os.environ["CLIENT_MODULE"].encode())), b"scale"))
call(hip.hipEventRecord(begin, stream))
call(hip.hipMemcpyAsync(on_device, x, x.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice, stream))
call(hip.hipModuleLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, stream, None, (on_device, ctypes.c_float(2), ctypes.c_int(n))))
result = numpy.empty_like(x)
call(hip.hipMemcpyAsync(result, on_device, x.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost, stream))
call(hip.hipEventRecord(end, stream))
call(hip.hipStreamSynchronize(stream))
assert call(hip.hipEventElapsedTime(begin, end)) > 0
require(Hip(), "scale", result, 2 * x, 0)
refused(Hip(), "not scaled", result, x, 0.5)
