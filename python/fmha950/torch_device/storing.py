"""Pickles, torch.save and torch.load, and copies of objects: as of tensors on cuda:0, without a word of this package."""

import collections
import functools
import threading

import torch

from fmha950.torch_device import memory
from fmha950.torch_device.compat import no_dispatch, typed_storage
from fmha950.torch_device.hip import hip
from fmha950.torch_device.tensor import DEVICE, DeviceTensor, empty, host, is_cuda, place, told, wrap


_saving = threading.local()


def reduce_ex(self, protocol):
    """Within torch.save as torch does, with a storage that is told as cuda's; a plain pickle carries the bytes."""
    is_parameter = getattr(self, "_is_param", False)
    if not getattr(_saving, "depth", 0):
        return _rebuild, (self.detach().cpu(), self.requires_grad, is_parameter)
    hip.synchronize()
    told(hip.read, self)
    untyped = self.untyped_storage()
    if untyped.nbytes() == 0:  # which lies nowhere: one element says on which device
        untyped = memory.new_storage(self.element_size())
    hooks = collections.OrderedDict()
    parts = (typed_storage(untyped, self.dtype), self.storage_offset(), tuple(self.size()), self.stride(), self.requires_grad, hooks)
    tensor = (torch._utils._rebuild_tensor_v2, parts)
    return (torch._utils._rebuild_parameter, (_Reduced(tensor), self.requires_grad, hooks)) if is_parameter else tensor


class _Reduced:
    """An object that is pickled as what a function gives."""

    def __init__(self, reduced):
        self.reduced = reduced

    def __reduce_ex__(self, protocol):
        return self.reduced


def _rebuild(plain, requires_grad, is_parameter):
    tensor = place(plain)
    return torch.nn.Parameter(tensor, requires_grad) if is_parameter else tensor.requires_grad_(requires_grad)


def deepcopy(self, memo):
    """As Tensor.__deepcopy__: leaves alone, each once."""
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment")
    if id(self) in memo:
        return memo[id(self)]
    copy = self.detach().clone()
    copy = torch.nn.Parameter(copy, self.requires_grad) if getattr(self, "_is_param", False) else copy.requires_grad_(self.requires_grad)
    if self.grad is not None:
        copy.grad = self.grad.__deepcopy__(memo)
    memo[id(self)] = copy
    return copy


def _tag(storage):
    """Of storages in memory of the device, for torch.save."""
    return str(DEVICE) if storage.nbytes() and memory.holds(getattr(storage, "_untyped_storage", storage)) else None


def _restore(storage, location):
    if not location.startswith("cuda") or not is_cuda(location):
        return None
    untyped = getattr(storage, "_untyped_storage", storage)
    with no_dispatch():
        moved = place(empty(0, dtype=torch.uint8, device=host).set_(untyped))
    return moved.untyped_storage()


def install():
    DeviceTensor.__reduce_ex__ = reduce_ex
    DeviceTensor.__deepcopy__ = deepcopy
    torch.serialization.register_package(5, _tag, _restore)  # before the CPU's, 10
    torch.save = _saver(torch.save)
    torch._utils._rebuild_tensor = _rebuilder(torch._utils._rebuild_tensor)


def _saver(save):
    @functools.wraps(save)
    def saver(*args, **kwargs):
        _saving.depth = getattr(_saving, "depth", 0) + 1
        try:
            return save(*args, **kwargs)
        finally:
            _saving.depth -= 1

    return saver


def _rebuilder(build):
    """What lies in memory of the device is a device tensor."""

    def rebuild(storage, *rest):
        tensor = build(storage, *rest)
        untyped = tensor.untyped_storage()
        if untyped.nbytes() == 0 or not memory.holds(untyped):
            return tensor
        with no_dispatch():
            return wrap(tensor)

    return rebuild
