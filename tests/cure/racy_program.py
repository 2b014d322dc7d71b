"""racy_program.py OBJECT KERNEL [...] [clock|fork|once=FILE]: launches kernels of {in, out, n} on 128 words, and prints what they made.
KERNEL*WAVES has so many waves; clock prints the time, too, fork ends in two processes, and once=FILE interrupts who started
it, once, while a change is tried. Without NumPy."""
import ctypes
import os
import signal
import struct
import sys
import time

hip = ctypes.CDLL("libamdhip64.so")


def call(name, *arguments):
    if code := getattr(hip, name)(*arguments):
        sys.exit(f"{name}: {code}")


def allocated(values):
    address = ctypes.c_void_p()
    call("hipMalloc", ctypes.byref(address), ctypes.c_size_t(4 * len(values)))
    call("hipMemcpy", address, struct.pack(f"<{len(values)}I", *values), ctypes.c_size_t(4 * len(values)), 1)
    return address


def launch(object_file, kernel, waves):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("hipModuleLoad", ctypes.byref(module), object_file.encode())
    call("hipModuleGetFunction", ctypes.byref(function), module, kernel.encode())
    given, made = allocated(range(1, 129)), allocated([0] * 64)
    arguments = ctypes.create_string_buffer(struct.pack("<QQI4x", given.value, made.value, 128))
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(arguments))
    call("hipModuleLaunchKernel", function, 1, 1, 1, 64 * waves, 1, 1, 0, None, parameters, None)
    words = ctypes.create_string_buffer(256)
    call("hipMemcpy", words, made, ctypes.c_size_t(256), 2)
    print(struct.unpack("<64I", words.raw))


for object_file, kernel in zip(sys.argv[1::2], sys.argv[2::2]):
    name, _, waves = kernel.partition("*")
    launch(object_file, name, int(waves or 1))
last = sys.argv[-1]
if last == "clock":
    print(time.perf_counter_ns())
if last == "fork":
    sys.stdout.flush()
    if child := os.fork():
        os.waitpid(child, 0)
if last.startswith("once=") and os.environ.get("FMHA950_MUTANT"):
    try:
        os.close(os.open(last[5:], os.O_CREAT | os.O_EXCL))
        os.kill(os.getppid(), signal.SIGINT)
    except FileExistsError:
        pass
