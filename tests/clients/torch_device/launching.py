"""Launches kernels of kernels.hip (environment variable CLIENT_MODULE: its code object) on tensors, in the current stream."""

import ctypes
import os

import torch
from fmha950.torch_device.hip import hip

_module = ctypes.c_void_p(hip.value("hipModuleLoad", ctypes.c_void_p, os.environ["CLIENT_MODULE"].encode()))


def launch(name, items, *arguments):
    function = ctypes.c_void_p(hip.value("hipModuleGetFunction", ctypes.c_void_p, _module, name.encode()))
    values = [ctypes.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else ctypes.c_float(a) if isinstance(a, float) else ctypes.c_int(a)
              for a in arguments]
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    hip.call("hipModuleLaunchKernel", function, (items + 63) // 64, 1, 1, 64, 1, 1, 0, stream, pointers, None)
