"""What makes tensors of nothing: of the CPU and, without memory, of the meta device."""

import numpy

from torch import _C
from torch.storage import UntypedStorage
from torch.tensor import Tensor, bool, device, float32, int64, on_new_storage  # noqa: A004

__all__ = ("empty", "zeros", "ones", "full", "arange", "tensor", "rand", "randn", "frombuffer", "normal", "empty_like", "zeros_like", "ones_like",
           "full_like", "rand_like", "randn_like", "randint_like")


def _sizes(size):
    return tuple(size[0]) if size and isinstance(size[0], (list, tuple)) else size


def _made(array, where):
    where = device("cpu" if where is None else where)
    if where.type not in ("cpu", "meta"):
        raise RuntimeError(f"the stub of torch has no device {where}: the layer should have taken this call")
    made = on_new_storage(array)
    if where.type == "meta":
        made._storage = UntypedStorage(made._storage.nbytes(), meta=True)
    return made


def full(size, value, *, dtype=None, device=None):
    return _made(numpy.full(size, value, (dtype or float32).numpy), device)


def empty(*size, dtype=None, device=None):
    return full(_sizes(size), 77, dtype=dtype, device=device)  # no zeros: whoever reads it sees that it was not written


def zeros(*size, dtype=None, device=None):
    return full(_sizes(size), 0, dtype=dtype, device=device)


def ones(*size, dtype=None, device=None):
    return full(_sizes(size), 1, dtype=dtype, device=device)


def arange(end, *, dtype=None, device=None):
    return _made(numpy.arange(end, dtype=(dtype or int64).numpy), device)


def tensor(data, *, dtype=None, device=None):
    array = numpy.array(data)
    known = bool if array.dtype.kind == "b" else int64 if array.dtype.kind == "i" else float32
    return _made(array.astype((dtype or known).numpy), device)


def rand(*size, dtype=None, device=None, generator=None):
    return _made((generator or _C.default_generator).random.uniform(size=_sizes(size)).astype((dtype or float32).numpy), device)


def randn(*size, dtype=None, device=None, generator=None):
    return _made((generator or _C.default_generator).random.normal(size=_sizes(size)).astype((dtype or float32).numpy), device)


def normal(*_, **__):
    raise NotImplementedError("the stub of torch has no normal")


def frombuffer(buffer, dtype=None):
    array = numpy.frombuffer(buffer, dtype.numpy)
    return Tensor()._set(UntypedStorage(array.nbytes, array.view(numpy.uint8)), 0, array.shape, (1,), dtype)


def _like(make):
    def like(other, *args, dtype=None, device=None):
        return make(other.shape, *args, dtype=dtype or other.dtype, device=device)

    return like


def _new(make):
    def new(other, *args, dtype=None, device=None):
        return make(*args, dtype=dtype or other.dtype, device=device)

    return new


empty_like, zeros_like, ones_like, full_like, rand_like, randn_like = map(_like, (empty, zeros, ones, full, rand, randn))


def randint_like(*_, **__):
    raise NotImplementedError("the stub of torch has no randint_like")


Tensor.new_empty, Tensor.new_zeros, Tensor.new_ones, Tensor.new_full, Tensor.new_tensor = map(_new, (empty, zeros, ones, full, tensor))
Tensor.new_empty_strided = Tensor.new_empty
