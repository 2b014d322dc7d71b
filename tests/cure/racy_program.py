"""racy_program.py OBJECT KERNEL [...] [clock|fork|host|once=FILE|runs=FILE]: launches kernels of {in, out, n} on 128 words, and
prints what they made.
KERNEL*WAVES@N has so many waves, and n = N; clock prints the time, too, fork ends in two processes, host writes
the first word of `in`, which is 0 till then, when all is launched, once=FILE interrupts who started it, once, while a change is
tried, and runs=FILE adds a line to the file. Without NumPy."""
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


def given_by_host(values):
    address = ctypes.c_void_p()
    call("hipHostMalloc", ctypes.byref(address), ctypes.c_size_t(4 * len(values)), 0)
    ctypes.memmove(address, struct.pack(f"<{len(values)}I", *values), 4 * len(values))
    return address


def launch(object_file, kernel, waves, n):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("hipModuleLoad", ctypes.byref(module), object_file.encode())
    call("hipModuleGetFunction", ctypes.byref(function), module, kernel.encode())
    waits = sys.argv[-1] == "host"
    given = given_by_host([0, *range(2, 129)]) if waits else allocated(range(1, 129))
    made = allocated([0] * 64)
    arguments = ctypes.create_string_buffer(struct.pack("<QQI4x", given.value, made.value, n))
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(arguments))
    call("hipModuleLaunchKernel", function, 1, 1, 1, 64 * waves, 1, 1, 0, None, parameters, None)
    if waits:
        time.sleep(0.3)  # till the kernel runs
        ctypes.cast(given, ctypes.POINTER(ctypes.c_uint32))[0] = 1
    words = ctypes.create_string_buffer(256)
    call("hipMemcpy", words, made, ctypes.c_size_t(256), 2)
    print(struct.unpack("<64I", words.raw))


for object_file, kernel in zip(sys.argv[1::2], sys.argv[2::2]):
    shape, _, n = kernel.partition("@")
    name, _, waves = shape.partition("*")
    launch(object_file, name, int(waves or 1), int(n or 128))
last = sys.argv[-1]
if last == "clock":
    print(time.perf_counter_ns())
if last == "fork":
    sys.stdout.flush()
    if child := os.fork():
        os.waitpid(child, 0)
if last.startswith("runs="):
    with open(last[5:], "a", encoding="utf-8") as runs:
        print("run", file=runs)
if last.startswith("once=") and os.environ.get("FMHA950_MUTANT"):
    try:
        os.close(os.open(last[5:], os.O_CREAT | os.O_EXCL))
        os.kill(os.getppid(), signal.SIGINT)
    except FileExistsError:
        pass
