"""Tensors: a storage, and where in it the elements are. Calls on subclasses go to their __torch_function__, as torch's do."""

import functools

import numpy

from torch import _C
from torch.storage import UntypedStorage


class dtype:
    def __init__(self, name):
        self.name, self.numpy = name, numpy.dtype(name)
        self.itemsize, self.is_floating_point = self.numpy.itemsize, self.numpy.kind == "f"

    def __repr__(self):
        return f"torch.{self.name}"


float16, float32, float64, int32, int64, uint8, bool = map(  # noqa: A001
    dtype, ("float16", "float32", "float64", "int32", "int64", "uint8", "bool"))
_OF_NUMPY = {each.numpy: each for each in (float16, float32, float64, int32, int64, uint8, bool)}
strided = "torch.strided"


def dtype_of(array):
    return _OF_NUMPY[array.dtype]


class device:
    def __init__(self, of, index=None):
        if isinstance(of, device):
            of, index = of.type, of.index
        self.type, _, number = of.partition(":")
        self.index = int(number) if number else index

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __repr__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"


def tensors_in(value):
    if isinstance(value, TensorBase):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)


def overridden(name, args, kwargs):
    """The class of an argument that has a method of its own for it."""
    return next((type(each) for each in tensors_in((args, tuple(kwargs.values()))) if hasattr(type(each), name)), None)


def public(function):
    """A function or a method of torch as programs call it."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        owner = overridden("__torch_function__", args, kwargs) if _C.state.function else None
        return owner.__torch_function__(call, (owner,), args, kwargs) if owner else function(*args, **kwargs)

    return call


class TensorBase:
    requires_grad = is_quantized = is_nested = is_conj_ = False
    layout, grad_fn = strided, None

    def _set(self, storage, offset, sizes, strides, of):
        self._storage, self._offset, self.dtype = storage, offset, of
        self._sizes, self._strides = tuple(sizes), tuple(strides)
        return self

    @property
    def array(self):
        """The elements themselves."""
        return numpy.ndarray(self._sizes, self.dtype.numpy, self._storage.bytes, self._offset * self.dtype.itemsize,
                             [stride * self.dtype.itemsize for stride in self._strides])

    @staticmethod
    def _make_subclass(cls, plain):
        return cls.__new__(cls)._set(plain._storage, plain._offset, plain._sizes, plain._strides, plain.dtype)

    shape = property(lambda self: self._sizes)
    data = property(lambda self: self, lambda self, other: None)
    grad = property(lambda self: None, lambda self, other: None)
    device = property(lambda self: device("meta" if self._storage.is_meta else "cpu"))


class Tensor(TensorBase):
    def __init_subclass__(cls):
        if "__torch_function__" not in cls.__dict__:
            cls.__torch_function__ = classmethod(lambda cls, func, types, args=(), kwargs=None: func(*args, **(kwargs or {})))

    def size(self):
        return self._sizes

    def stride(self):
        return self._strides

    def storage_offset(self):
        return self._offset

    def untyped_storage(self):
        return self._storage

    def data_ptr(self):
        return self._storage.data_ptr() + self._offset * self.dtype.itemsize

    def dim(self):
        return len(self._sizes)

    def numel(self):
        return int(numpy.prod(self._sizes, dtype=int))

    def element_size(self):
        return self.dtype.itemsize

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def is_conj(self):
        return False

    is_neg = is_conj

    def resolve_conj(self):
        return self

    resolve_neg = resolve_conj

    def requires_grad_(self, requires_grad=True):
        self.requires_grad = requires_grad
        return self

    def set_(self, storage, offset, sizes, strides):
        return self._set(storage, offset, sizes, strides, self.dtype)

    def type(self):
        return f"torch.{self.dtype.name}"

    def to(self, *args, **kwargs):
        from torch.operators import ops

        wanted = next((each for each in (*args, *kwargs.values()) if isinstance(each, dtype)), self.dtype)
        return self if wanted is self.dtype else ops.aten._to_copy(self, dtype=wanted)

    def tolist(self):
        return self.array.tolist()


def on_new_storage(array):
    """A tensor with a copy of the elements of an array."""
    array = numpy.array(array, order="C")
    storage = UntypedStorage(array.nbytes, array.reshape(-1).view(numpy.uint8))
    return Tensor()._set(storage, 0, array.shape, [step // array.itemsize for step in array.strides], dtype_of(array))


@public
def equal(one, other):
    return one.cpu().tolist() == other.cpu().tolist()


def _method(name):
    def method(self, *args, **kwargs):
        from torch.operators import ops

        return getattr(ops.aten, name)(self, *args, **kwargs)

    method.__name__ = name
    return public(method)


for _name in ("add", "add_", "mul", "sum", "fill_", "zero_", "copy_", "clone", "detach", "view", "t", "select", "reshape", "remainder", "expand", "any",
              "uniform_", "normal_", "random_", "index_fill_", "masked_fill_", "nonzero", "unbind", "contiguous"):
    setattr(Tensor, _name, _method(_name))
Tensor.__add__, Tensor.__mul__ = Tensor.add, Tensor.mul
Tensor.__getitem__ = public(lambda self, at: self.select(0, at))
Tensor.item = lambda self: self.tolist()
