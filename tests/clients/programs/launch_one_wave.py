"""launch_one_wave.py OBJECT.co QUERIES KEYS: a client that launches examples/external/one_wave.hip through HIP: Q, K and V are numbers, so that the
output, which is zeros before, is not afterwards."""
import ctypes
import sys

HEADS, KV_HEADS, HEAD_DIM = 4, 2, 128


def main(file, queries, keys):
    hip = ctypes.CDLL("libamdhip64.so")

    def call(name, *arguments):
        code = getattr(hip, name)(*arguments)
        if code:
            sys.exit(f"{name}: error {code}")

    def memory(size, byte=0):
        pointer = ctypes.c_void_p()
        call("hipMalloc", ctypes.byref(pointer), ctypes.c_size_t(size))
        call("hipMemset", pointer, byte, ctypes.c_size_t(size))
        return pointer

    q, k, v = (memory(2 * rows * heads * HEAD_DIM, 0x3C) for rows, heads in ((queries, HEADS), (keys, KV_HEADS), (keys, KV_HEADS)))
    output, lse, table = memory(4 * HEADS * queries * HEAD_DIM), memory(4 * HEADS * queries), memory(16)
    request = (ctypes.c_int * 4)(0, queries, keys, 0)
    call("hipMemcpy", table, request, ctypes.c_size_t(16), 1)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    with open(file, "rb") as object_file:
        call("hipModuleLoadData", ctypes.byref(module), object_file.read())
    call("hipModuleGetFunction", ctypes.byref(function), module, b"one_wave")
    values = [q, k, v, table, output, lse, *map(ctypes.c_int, (queries, HEADS, KV_HEADS, 0)), ctypes.c_float(0.1275)]
    parameters = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values))
    call("hipModuleLaunchKernel", function, queries, HEADS, 1, 64, 1, 1, 0, None, parameters, None)
    call("hipDeviceSynchronize")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
