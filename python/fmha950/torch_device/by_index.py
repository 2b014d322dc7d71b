"""Which elements of a tensor an operator writes that writes by index: they alone are told to the device."""

import functools

import torch

from fmha950.torch_device.compat import no_function
from fmha950.torch_device.ranges import ranges

OPERATORS = frozenset(("scatter_", "scatter_add_", "scatter_reduce_", "index_put_", "_index_put_impl_", "index_copy_", "index_add_", "index_fill_",
                       "index_reduce_", "masked_fill_", "masked_scatter_", "put_"))
_ADD = frozenset(("scatter_add_", "index_add_"))
_PUT = frozenset(("index_put_", "_index_put_impl_", "put_"))


def _given(func, args, kwargs, name):
    """An argument by its name: as it is given, or its default; None where the overload has none of this name."""
    for place, argument in enumerate(func._schema.arguments):
        if argument.name == name:
            return args[place] if place < len(args) else kwargs.get(name, argument.default_value)
    return None


def adds(name, func, args, kwargs):
    """Whether what it writes depends on what was there."""
    given = functools.partial(_given, func, args, kwargs)
    if name in _PUT:
        return bool(given("accumulate"))
    return name in _ADD or given("reduce") is not None and given("include_self") is not False


class Elements:
    """Those that are written, as pieces of equal size: `addresses`, a tensor of int64, `size` bytes at each."""

    def __init__(self, tensor, coordinates):
        """`coordinates`: for each dimension None, all of it, or a tensor of indices; these are broadcast."""
        element = tensor.element_size()
        begin = torch.zeros((), dtype=torch.int64, device="cpu")
        rest = [(size, stride) for size, stride, at in zip(tensor.shape, tensor.stride(), coordinates) if at is None]
        for size, stride, at in zip(tensor.shape, tensor.stride(), coordinates):
            if at is not None:
                begin = begin + at.remainder(size) * (stride * element)
        pieces = list(ranges(tensor.data_ptr(), [size for size, _ in rest], [stride for _, stride in rest], element))
        self.size = pieces[0][1]
        offsets = torch.tensor([address for address, _ in pieces], dtype=torch.int64, device="cpu")
        self.addresses = (begin.reshape(-1, 1) + offsets).reshape(-1).contiguous()


def _one_dimension(tensor, dim, index):
    """index_copy_ and its like."""
    if tensor.dim() == 0:
        return []
    return [index.reshape(-1) if d == dim % tensor.dim() else None for d in range(tensor.dim())]


def _scattered(tensor, dim, index):
    """scatter_: each element of `index` is one of the tensor, at the same place in the other dimensions."""
    if tensor.dim() == 0:
        return []
    index = index.reshape(index.shape or (1,))

    def along(d):
        shape = [-1 if each == d else 1 for each in range(index.dim())]
        return torch.arange(index.shape[d], device="cpu").reshape(shape).expand(index.shape)

    return [index if d == dim % tensor.dim() else along(d) for d in range(tensor.dim())]


def _indexed(tensor, indices):
    """index_put_: a mask of several dimensions stands for as many tensors of indices."""
    coordinates = []
    for index in indices:
        if index is None:
            coordinates.append(None)
        elif index.dtype in (torch.bool, torch.uint8):
            coordinates += index.nonzero().unbind(1)
        else:
            coordinates.append(index.long())
    return coordinates + [None] * (tensor.dim() - len(coordinates))


def _flat(tensor, index):
    """put_: indices of elements in the order of their dimensions."""
    at, coordinates = index.reshape(-1).remainder(tensor.numel()), []
    for size in reversed(tensor.shape):
        coordinates.insert(0, at % size)
        at = at // size
    return coordinates


def written(name, func, args, kwargs):
    """Elements that the operator writes of its first argument; None for none at all. Under no_dispatch()."""
    tensor, given = args[0], functools.partial(_given, func, args, kwargs)
    if tensor.numel() == 0:
        return None
    with no_function():
        if name.startswith("masked_"):
            mask = given("mask").expand(tensor.shape)
            if not mask.any():
                return None
            coordinates = list(mask.nonzero().unbind(1))
        elif name == "put_":
            coordinates = _flat(tensor, given("index"))
        elif name in _PUT:
            coordinates = _indexed(tensor, given("indices"))
        elif name.startswith("scatter"):
            coordinates = _scattered(tensor, given("dim"), given("index"))
        else:
            coordinates = _one_dimension(tensor, given("dim"), given("index"))
        elements = Elements(tensor, coordinates)
    return elements if elements.addresses.numel() else None
