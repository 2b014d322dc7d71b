"""Operators with torch's schemas, on NumPy. A call goes to __torch_dispatch__ of a subclass among its arguments first."""

import re
import types

import numpy

from torch import _C
from torch.tensor import Tensor, on_new_storage, overridden

SCHEMAS = """
add(Tensor self, Tensor other) -> Tensor
add_(Tensor(a!) self, Tensor other) -> Tensor(a!)
mul(Tensor self, Tensor other) -> Tensor
remainder(Tensor self, Tensor other) -> Tensor
sum(Tensor self) -> Tensor
any(Tensor self) -> Tensor
fill_(Tensor(a!) self, Scalar value) -> Tensor(a!)
zero_(Tensor(a!) self) -> Tensor(a!)
copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
_to_copy(Tensor self, *, ScalarType? dtype=None) -> Tensor
empty_like(Tensor self) -> Tensor
uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)
normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)
random_(Tensor(a!) self, int from, int to, *, Generator? generator=None) -> Tensor(a!)
index_fill_(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)
masked_fill_(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)
nonzero(Tensor self) -> Tensor
detach(Tensor(a) self) -> Tensor(a)
view(Tensor(a) self, int[] size) -> Tensor(a)
reshape(Tensor(a) self, int[] size) -> Tensor(a)
expand(Tensor(a) self, int[] size) -> Tensor(a)
t(Tensor(a) self) -> Tensor(a)
select(Tensor(a) self, int dim, int index) -> Tensor(a)
unbind(Tensor(a) self, int dim) -> Tensor(a)[]
contiguous(Tensor(a) self) -> Tensor(a)
"""
VIEWS = {
    "detach": lambda a: a, "view": lambda a, *size: a.reshape(_extents(size)), "reshape": lambda a, *size: a.reshape(_extents(size)),
    "expand": lambda a, *size: numpy.broadcast_to(a, _extents(size)), "t": lambda a: a.T, "contiguous": numpy.ascontiguousarray,
    "select": lambda a, dim, index: a[(slice(None),) * dim + (index, ...)]}
RESULTS = {
    "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "remainder": lambda a, b: a % b, "sum": lambda a: a.sum(dtype=a.dtype), "any": lambda a: a.any(),
    "clone": lambda a, memory_format=None: a, "empty_like": numpy.empty_like, "_to_copy": lambda a, dtype=None: a.astype((dtype or a).numpy),
    "nonzero": lambda a: numpy.stack(a.nonzero(), 1)}
IN_PLACE = {
    "add_": lambda a, b: numpy.add(a, b, out=a), "fill_": lambda a, value: a.fill(value), "zero_": lambda a: a.fill(0),
    "copy_": lambda a, src, non_blocking=False: numpy.copyto(a, src, "unsafe"),
    "uniform_": lambda a, low=0, high=1, generator=None: numpy.copyto(a, _random(generator).uniform(low, high, a.shape), "unsafe"),
    "normal_": lambda a, mean=0, std=1, generator=None: numpy.copyto(a, _random(generator).normal(mean, std, a.shape), "unsafe"),
    "random_": lambda a, low, high, generator=None: numpy.copyto(a, _random(generator).randint(low, high, a.shape), "unsafe"),
    "index_fill_": lambda a, dim, index, value: a.__setitem__((slice(None),) * (dim % a.ndim) + (index,), value),
    "masked_fill_": lambda a, mask, value: a.__setitem__(numpy.broadcast_to(mask, a.shape), value)}


def _extents(size):
    return tuple(size[0]) if isinstance(size[0], (list, tuple)) else size


def _random(generator):
    return (generator or _C.default_generator).random


def _argument(text, kwarg_only):
    kind, name, _, default = re.fullmatch(r"(\S+) (\w+)(=(\S+))?", text).groups()
    alias = re.search(r"\((\w+)(!?)\)", kind)
    return types.SimpleNamespace(name=name, kwarg_only=kwarg_only, is_out=False, alias_info=alias and types.SimpleNamespace(is_write=alias[2] == "!"),
                                 default_value=None if default in (None, "None") else eval(default))


def _schema(text):
    name, arguments = re.match(r"(\w+)\((.*)\) ->", text).groups()
    parsed, kwarg_only = [], False
    for argument in arguments.split(", "):
        if argument == "*":
            kwarg_only = True
        else:
            parsed.append(_argument(argument, kwarg_only))
    return types.SimpleNamespace(name=f"aten::{name}", overload_name="", arguments=parsed,
                                 is_mutable=any(each.alias_info and each.alias_info.is_write for each in parsed))


class OpOverload:
    tags = ()

    def __init__(self, text):
        self._schema = _schema(text)
        self.plain = self._schema.name.removeprefix("aten::")

    default = property(lambda self: self)

    def name(self):
        return self._schema.name

    def __call__(self, *args, **kwargs):
        owner = overridden("__torch_dispatch__", args, kwargs) if _C.state.dispatch else None
        return owner.__torch_dispatch__(self, (owner,), args, kwargs) if owner else self.compute(args, kwargs)

    def compute(self, args, kwargs):
        of, *arrays = [each.array if isinstance(each, Tensor) else each for each in args]
        if self.plain in IN_PLACE:
            IN_PLACE[self.plain](of, *arrays, **kwargs)
            return args[0]
        if self.plain in VIEWS:
            return _view(args[0], VIEWS[self.plain](of, *arrays))
        if self.plain == "unbind":
            return tuple(_view(args[0], of[(slice(None),) * args[1] + (i,)]) for i in range(of.shape[args[1]]))
        return on_new_storage(RESULTS[self.plain](of, *arrays, **kwargs))


def _view(of, array):
    """A tensor on the storage of another, or on a new one where NumPy had to copy."""
    begin = array.ctypes.data - of._storage.data_ptr()
    if array.size and not 0 <= begin < of._storage.nbytes():
        return on_new_storage(array)
    strides = [step // of.dtype.itemsize for step in array.strides]
    return Tensor()._set(of._storage, begin // of.dtype.itemsize if array.size else 0, array.shape, strides, of.dtype)


ops = types.SimpleNamespace(aten=types.SimpleNamespace(
    **{op.plain: op for op in map(OpOverload, SCHEMAS.strip().splitlines())}))
