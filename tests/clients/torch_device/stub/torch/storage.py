"""Bytes that tensors lie in."""

import numpy


class UntypedStorage:
    """Of the CPU: an array of bytes. Of the meta device: a number of bytes."""

    def __init__(self, size, bytes_of=None, meta=False):
        self.size, self.is_meta = size, meta
        self.bytes = None if meta else numpy.zeros(size, numpy.uint8) if bytes_of is None else bytes_of

    def nbytes(self):
        return self.size

    def data_ptr(self):
        return 0 if self.is_meta or self.size == 0 else self.bytes.ctypes.data


class TypedStorage:
    def __init__(self, wrap_storage=None, dtype=None, _internal=False):
        self._untyped_storage, self.dtype = wrap_storage, dtype
