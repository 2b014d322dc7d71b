"""Tensor.to and its like, on tensors of both devices. What moves a tensor is differentiable."""

import functools

import torch

from fmha950.torch_device import memory
from fmha950.torch_device.compat import TensorBase, no_dispatch, no_function
from fmha950.torch_device.tensor import DEVICE, ORIGINAL, DeviceTensor, ToDevice, ToHost, host, is_cuda, on_storage, place


def original(name, *args, **kwargs):
    """A method as torch has it. torch would pass it on to the one in its place."""
    with no_function():
        return ORIGINAL[name](*args, **kwargs)


def to_device(tensor):
    return tensor if isinstance(tensor, DeviceTensor) else ToDevice.apply(tensor)


def to_host(tensor):
    return ToHost.apply(tensor) if isinstance(tensor, DeviceTensor) else tensor


def move(tensor, device):
    return tensor if device is None else to_device(tensor) if is_cuda(device) else to_host(tensor)


def require_known(device):
    if device is not None and torch.device(device).type not in ("cpu", "cuda", "meta"):
        raise RuntimeError(f"fmha950: device {device}: must be cpu, cuda or meta")


def to(self, *args, device=None, dtype=None, non_blocking=False, copy=False, memory_format=torch.preserve_format, other=None):
    """Tensor.to in all of its forms."""
    given = list(args)
    if given and isinstance(given[0], torch.Tensor):
        other = given.pop(0)
    elif given and isinstance(given[0], torch.dtype):
        dtype = given.pop(0)
    elif given:
        device = given.pop(0)
        if given and isinstance(given[0], torch.dtype):
            dtype = given.pop(0)
        elif given and given[0] is None:
            given.pop(0)
    if given:
        non_blocking = given.pop(0)
    if given:
        copy = given.pop(0)
    if other is not None:
        device, dtype = other.device, other.dtype
    if not isinstance(device, (int, type(None))):
        device = torch.device(device)
    if device is not None and not is_cuda(device) and device.type != "cpu":
        return original("to", self, device, dtype or self.dtype, non_blocking, copy, memory_format=memory_format)
    moves = device is not None and is_cuda(device) != isinstance(self, DeviceTensor)
    result = original("to", self, dtype or self.dtype, False, copy and not moves, memory_format=memory_format)
    return move(result, device)


def cuda(self, device=None, non_blocking=False, memory_format=torch.preserve_format):
    return to(self, DEVICE if device is None else device, memory_format=memory_format)


def cpu(self, memory_format=torch.preserve_format):
    return to(self, host, memory_format=memory_format)


def type_(self, dtype=None, non_blocking=False, **kwargs):
    """Tensor.type: its name, or a copy of another type."""
    if dtype is None:
        name = original("type", self)
        return name.replace("torch.", "torch.cuda.", 1) if isinstance(self, DeviceTensor) else name
    if isinstance(dtype, str) and dtype.startswith("torch.cuda."):
        return to_device(original("type", to_host(self), dtype.replace("torch.cuda.", "torch.", 1)))
    if isinstance(dtype, torch.dtype):
        return to(self, dtype)
    return original("type", to_host(self), dtype)


def type_as(self, other):
    return to(self, other)


def copy_(self, source, non_blocking=False):
    """Between devices by way of a tensor that is differentiable."""
    if isinstance(source, torch.Tensor) and isinstance(source, DeviceTensor) != isinstance(self, DeviceTensor):
        source = move(source, self.device)
    return original("copy_", self, source)


def is_pinned(self, device=None):
    address = self.untyped_storage().data_ptr()
    return not isinstance(self, DeviceTensor) and address in memory.pinned_blocks


def pin_memory(self, device=None):
    """A copy in memory of hipHostMalloc."""
    if isinstance(self, DeviceTensor):
        return DeviceTensor.pin_memory(self)
    if is_pinned(self) or self.numel() == 0:
        return self
    plain = self.detach().contiguous()
    storage = memory.new_storage(plain.numel() * plain.element_size(), pinned=True)
    with no_dispatch():
        pinned = on_storage(storage, plain) if plain.storage_offset() == 0 else on_storage(storage, plain.clone())
        return original("copy_", pinned, plain)


def install():
    for name, function in (("to", to), ("cuda", cuda), ("cpu", cpu), ("type", type_), ("type_as", type_as), ("copy_", copy_),
                           ("is_pinned", is_pinned), ("pin_memory", pin_memory)):
        setattr(torch.Tensor, name, function)
    for name in ("is_pinned", "pin_memory"):
        delattr(DeviceTensor, name)
    torch.Tensor.data = OfOneDevice(TensorBase.data, "fmha950: x.data = y: x and y must be on one device: write x = y instead")
    torch.Tensor.grad = OfOneDevice(TensorBase.grad, "assigned grad has data located on a different device")
    gradients = torch.autograd.grad

    def grad(outputs, inputs, *args, **kwargs):
        inputs = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)
        return tuple(move(g, x.device) if isinstance(g, torch.Tensor) and isinstance(x, torch.Tensor) else g
                     for g, x in zip(gradients(outputs, inputs, *args, **kwargs), inputs))

    torch.autograd.grad = functools.wraps(gradients)(grad)


class OfOneDevice:
    """An attribute of torch.Tensor that takes tensors of the same device. No property: torch._dynamo expects of those that they are C's."""

    def __init__(self, original, refusal):
        self.original, self.refusal = original, refusal

    def __get__(self, tensor, owner=None):
        if tensor is None:
            return self
        value = self.original.__get__(tensor, owner)
        if value is not None and isinstance(tensor, DeviceTensor) and not isinstance(value, DeviceTensor):
            value = place(value)  # a gradient that torch's C++ made of nothing
            self.original.__set__(tensor, value)
        return value

    def __set__(self, tensor, value):
        if isinstance(value, torch.Tensor) and isinstance(tensor, DeviceTensor) != isinstance(value, DeviceTensor):
            raise RuntimeError(self.refusal)
        self.original.__set__(tensor, value)

    def __delete__(self, tensor):
        self.original.__delete__(tensor)
