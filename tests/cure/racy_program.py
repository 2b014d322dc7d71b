"""racy_program.py OBJECT KERNEL [...]: launches kernels of {in, out, n} on 128 words, and prints what they made. Without NumPy."""
import ctypes
import struct
import sys

hip = ctypes.CDLL("libamdhip64.so")


def call(name, *arguments):
    if code := getattr(hip, name)(*arguments):
        sys.exit(f"{name}: {code}")


def allocated(values):
    address = ctypes.c_void_p()
    call("hipMalloc", ctypes.byref(address), ctypes.c_size_t(4 * len(values)))
    call("hipMemcpy", address, struct.pack(f"<{len(values)}I", *values), ctypes.c_size_t(4 * len(values)), 1)
    return address


def launch(object_file, kernel):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("hipModuleLoad", ctypes.byref(module), object_file.encode())
    call("hipModuleGetFunction", ctypes.byref(function), module, kernel.encode())
    given, made = allocated(range(1, 129)), allocated([0] * 64)
    arguments = ctypes.create_string_buffer(struct.pack("<QQI4x", given.value, made.value, 128))
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(arguments))
    call("hipModuleLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, parameters, None)
    words = ctypes.create_string_buffer(256)
    call("hipMemcpy", words, made, ctypes.c_size_t(256), 2)
    print(struct.unpack("<64I", words.raw))


for object_file, kernel in zip(sys.argv[1::2], sys.argv[2::2]):
    launch(object_file, kernel)
