"""Pickles, torch.save and torch.load, and copies of objects: as of tensors on cuda:0, without a word of this package."""

import collections

import torch

from fmha950.torch_device import memory
from fmha950.torch_device.compat import no_dispatch, typed_storage
from fmha950.torch_device.tensor import DEVICE, DeviceTensor, is_cuda, on_storage, place, wrap


def _plain(tensor):
    """The tensor of the CPU with the same storage, for what asks for no more than the storage."""
    with no_dispatch(), torch.no_grad():
        return on_storage(tensor.untyped_storage(), tensor)


def reduce_ex(self, protocol):
    """Within torch.save the storage is told as cuda's; a plain pickle carries the bytes and the device."""
    is_parameter = getattr(self, "_is_param", False)
    plain = _plain(self.detach().contiguous() if not _in_save() else self)
    if not _in_save():
        parts = (_rebuild, (self.detach().cpu(), self.requires_grad, is_parameter))
        return parts
    storage = typed_storage(plain.untyped_storage(), self.dtype)
    if self.untyped_storage().nbytes() == 0:  # which lies nowhere: one element says on which device
        storage = typed_storage(memory.new_storage(self.element_size()), self.dtype)
    hooks = collections.OrderedDict()
    parts = (storage, self.storage_offset(), tuple(self.size()), self.stride(), self.requires_grad, hooks)
    tensor = (torch._utils._rebuild_tensor_v2, parts)
    if not is_parameter:
        return tensor
    return torch._utils._rebuild_parameter, (_Reduced(tensor), self.requires_grad, hooks)


class _Reduced:
    """An object that is pickled as what a function gives."""

    def __init__(self, reduced):
        self.reduced = reduced

    def __reduce_ex__(self, protocol):
        return self.reduced


def _rebuild(plain, requires_grad, is_parameter):
    tensor = place(plain)
    return torch.nn.Parameter(tensor, requires_grad) if is_parameter else tensor.requires_grad_(requires_grad)


_saving = 0


def _in_save():
    return _saving > 0


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
    if not is_cuda(location) if location.startswith("cuda") else True:
        return None
    untyped = getattr(storage, "_untyped_storage", storage)
    with no_dispatch():
        moved = place(torch.empty(0, dtype=torch.uint8, device="cpu").set_(untyped))
    return moved.untyped_storage()


def install():
    DeviceTensor.__reduce_ex__ = reduce_ex
    DeviceTensor.__deepcopy__ = deepcopy
    torch.serialization.register_package(5, _tag, _restore)  # before the CPU's, 10
    save = torch.save

    def saving(*args, **kwargs):
        global _saving
        _saving += 1
        try:
            return save(*args, **kwargs)
        finally:
            _saving -= 1

    torch.save = saving
    build = torch._utils._rebuild_tensor

    def rebuild(storage, *rest):
        tensor = build(storage, *rest)
        in_device = tensor.untyped_storage().nbytes() and memory.holds(tensor.untyped_storage())
        if not in_device:
            return tensor
        with no_dispatch():
            return wrap(tensor)

    torch._utils._rebuild_tensor = rebuild
