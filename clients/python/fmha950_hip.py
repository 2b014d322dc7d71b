"""Device memory through ctypes, for Python programs without PyTorch. `fmha950 python` has it on the path."""
import ctypes

import numpy


class Hip:
    """The HIP library that the loader finds; its calls raise on failure."""

    def __init__(self):
        self.library = ctypes.CDLL("libamdhip64.so", mode=ctypes.RTLD_GLOBAL)
        self.library.hipGetErrorString.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        error = getattr(self.library, name)(*arguments)
        if error:
            raise RuntimeError(f"{name}: {self.library.hipGetErrorString(error).decode()}")

    def take_hazards(self):
        """What the embedded device's checks found since the last call, as text; "" if nothing."""
        self.call("hipDeviceSynchronize")
        hazards = self.library.fmha950Hazards
        hazards.restype = ctypes.c_char_p
        found = hazards(b"text").decode()
        self.call("fmha950ClearHazards")
        return found


class Tensor:
    """A NumPy array's copy on the device. `dtype` is Triton's name of the elements' type: fp32, bf16, fp8e4nv, u8 ..."""

    def __init__(self, hip, array, dtype):
        self.hip, self.array, self.dtype = hip, numpy.ascontiguousarray(array), dtype
        self.address = ctypes.c_void_p()
        hip.call("hipMalloc", ctypes.byref(self.address), ctypes.c_size_t(self.array.nbytes))
        self._copy(self.address, self._host(self.array), 1)

    def __del__(self):
        self.hip.library.hipFree(self.address)

    def data_ptr(self):
        return self.address.value

    def read(self):
        result = numpy.empty_like(self.array)
        self._copy(self._host(result), self.address, 2)
        return result

    @staticmethod
    def _host(array):
        return ctypes.c_void_p(array.ctypes.data)

    def _copy(self, to, source, kind):
        self.hip.call("hipMemcpy", to, source, ctypes.c_size_t(self.array.nbytes), kind)
