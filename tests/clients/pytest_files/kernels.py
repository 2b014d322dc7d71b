"""launch(NAME): a kernel {out} of the code objects in FMHA950_TEST_OBJECTS on one workgroup and 128 words, by ctypes. Does not wait for it.
As a program: kernels.py NAME..."""
import ctypes
import functools
import os
import sys


@functools.cache
def hip():
    return ctypes.CDLL(os.environ.get("FMHA950_TEST_LIBRARY", "libamdhip64.so"))


def call(name, *arguments):
    if code := getattr(hip(), name)(*arguments):
        raise RuntimeError(f"{name}: {code}")


@functools.cache
def functions(file):
    module = ctypes.c_void_p()
    call("hipModuleLoad", ctypes.byref(module), file.encode())
    return module


def launch(kernel):
    out, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("hipMalloc", ctypes.byref(out), ctypes.c_size_t(512))
    call("hipMemset", out, 0, ctypes.c_size_t(512))
    for file in os.environ["FMHA950_TEST_OBJECTS"].split(":"):
        if hip().hipModuleGetFunction(ctypes.byref(function), functions(file), kernel.encode()) == 0:
            break
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(out))
    call("hipModuleLaunchKernel", function, 1, 1, 1, 128, 1, 1, 0, None, parameters, None)
    return out


def words(out):
    values = (ctypes.c_uint32 * 128)()
    call("hipMemcpy", values, out, ctypes.c_size_t(512), 2)
    return list(values)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        words(launch(name))
