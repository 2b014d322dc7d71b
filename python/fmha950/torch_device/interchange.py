"""DLPack: device tensors are ROCm's, device 0."""

import ctypes

import torch

from fmha950.torch_device import memory
from fmha950.torch_device.compat import no_dispatch
from fmha950.torch_device.hip import hip
from fmha950.torch_device.tensor import DeviceTensor, on_storage, wrap

CPU, ROCM = 1, 10  # DLDeviceType
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def _device_of(capsule):
    """The field of DLManagedTensor: void* data, then DLDevice{int type, int id}."""
    return (ctypes.c_int * 2).from_address(_pointer_of(capsule, b"dltensor") + ctypes.sizeof(ctypes.c_void_p))


def _require_device_memory(plain):
    begin, size = ctypes.c_void_p(), ctypes.c_size_t()
    if plain.numel():
        hip.call("hipMemGetAddressRange", ctypes.byref(begin), ctypes.byref(size), ctypes.c_void_p(plain.data_ptr()))


def to_dlpack(tensor, **_):
    if not isinstance(tensor, DeviceTensor):
        return _plain_to_dlpack(tensor)
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    hip.synchronize()  # whether the other side reads or writes is not known
    with no_dispatch(), torch.no_grad():
        capsule = torch._C._to_dlpack(on_storage(tensor.untyped_storage(), tensor))
    _device_of(capsule)[0] = ROCM
    return capsule


def from_dlpack(external, **_):
    """Of an object or a capsule: a device tensor if its memory is the device's."""
    if hasattr(external, "__dlpack__"):
        kind = external.__dlpack_device__()[0]
        if kind not in (ROCM, 2):  # hip-python and others of CUDA's interface say 2
            return _plain_from_dlpack(external)
        external = external.__dlpack__()
    device = _device_of(external)
    if device[0] not in (ROCM, 2):
        return _plain_from_dlpack(external)
    device[0] = CPU
    plain = torch._C._from_dlpack(external)
    _require_device_memory(plain)
    with no_dispatch():
        memory.adopt(plain.untyped_storage())
        return wrap(plain)


_plain_to_dlpack = torch.utils.dlpack.to_dlpack
_plain_from_dlpack = torch.utils.dlpack.from_dlpack


def install():
    DeviceTensor.__dlpack__ = lambda self, stream=None, **_: to_dlpack(self)
    DeviceTensor.__dlpack_device__ = lambda self: (ROCM, 0)
    torch.from_dlpack = torch.utils.dlpack.from_dlpack = from_dlpack
    torch.to_dlpack = torch.utils.dlpack.to_dlpack = to_dlpack
