"""torch's operators on device tensors: those of the CPU, on memory of the device, which hears what they read and write."""

import ctypes

import torch

from fmha950.torch_device import by_index, draws, generators, library, memory, precision
from fmha950.torch_device.access import access_of
from fmha950.torch_device.compat import decompose, no_dispatch, no_function, with_function
from fmha950.torch_device.hip import hip
from fmha950.torch_device.tensor import ORIGINAL, DeviceTensor, empty, host, is_cuda, on_storage, place, tensors_in, told, wrap


def dispatch(func, args, kwargs):
    """Below autograd: torch's operator of the CPU on memory of the device."""
    if kernel := library.kernel_of(func):
        with with_function():
            return kernel(*args, **kwargs)
    access = access_of(func)
    if access.is_composite:  # in inference mode such come here, and their parts say what they read and draw
        return decompose(func, *args, **kwargs)
    device = kwargs.get("device")
    if is_cuda(device):
        kwargs["device"] = host
    elif device is not None and device != host:  # meta: sizes and strides alone
        with no_function(), no_dispatch():
            return func(*args, **kwargs)
    if access.generator is not None:
        args = _with_generator(access.generator, args, kwargs)
    with no_function(), no_dispatch():
        known, written = _before(access, args, kwargs)
        by_index_in = args[0] if access.is_by_index and isinstance(args[0], DeviceTensor) else None
        elements = None if by_index_in is None else _elements(access.name, func, args, kwargs)
        if access.name == "resize_":
            _make_room(*args)
        if access.name in _COPIES and (copy := _copied(access.name, args, kwargs)) is not None:
            return copy
        if access.draws and access.generator is None and access.name not in draws.NOTHING:
            out = draws.drawn(access.name, args, kwargs)
        else:
            out = None if written or access.name not in precision.SUMS else precision.widened(access.name, func, args, kwargs)
        if out is None:
            out = _execute(func, args, kwargs, written)
        for tensor in written:
            if not memory.holds(tensor.untyped_storage()) and tensor.untyped_storage().data_ptr() not in known:
                _move(tensor)  # it was given a storage of the CPU
            if tensor is not by_index_in:
                told(hip.wrote, tensor)
            elif elements is not None:
                hip.wrote_pieces(elements.addresses, elements.size)
        if access.name == "_pack_padded_sequence":  # the batch sizes are the CPU's
            return _placed(out[0], known, True, {}), out[1]
        return _placed(out, known, not access.is_unwritten, {})


def _before(access, args, kwargs):
    """Waits for the streams if memory is touched, and tells what is read: addresses of storages, and the tensors that will be written."""
    known, written, waited = set(), [], False
    for value, reads, writes in access.of(args, kwargs):
        for tensor in tensors_in(value):
            if not isinstance(tensor, DeviceTensor):
                continue
            known.add(tensor.untyped_storage().data_ptr())
            if (reads or writes) and not waited:
                hip.synchronize()
                waited = True
            if reads and not (access.name in _COPIES and _is_dense(tensor)):
                told(hip.read, tensor)
            if writes:
                written.append(tensor)
    return known, written


def _with_generator(place, args, kwargs):
    """The arguments with a generator of the device."""
    if place >= len(args):
        generators.name_one(kwargs)
        return args
    named = {"generator": args[place]}
    generators.name_one(named)
    return (*args[:place], named["generator"], *args[place + 1:])


def _elements(name, func, args, kwargs):
    """Those of the first argument that are written by index; what is added to is read."""
    elements = by_index.written(name, func, args, kwargs)
    if elements is not None and by_index.adds(name, func, args, kwargs):
        hip.read_pieces(elements.addresses, elements.size)
    return elements


def _execute(func, args, kwargs, written):
    try:
        return func(*args, **kwargs)
    except RuntimeError as error:
        if "not resizable" not in str(error) or "out" not in kwargs and not written:
            raise
    # out= of another size: torch computes it in memory of the CPU.
    fresh = {id(t): empty(0, dtype=t.dtype, device=host) for t in written}

    def changed(value):
        return fresh.get(id(value), value) if isinstance(value, torch.Tensor) else value

    func(*map(changed, args), **{name: changed(value) for name, value in kwargs.items()})
    for tensor in written:
        ORIGINAL["set_"](tensor, fresh[id(tensor)])
        _move(tensor)
    return written[0] if len(written) == 1 else tuple(written)


def _move(tensor):
    """Gives a device tensor, whose storage is the CPU's, device memory with the same bytes."""
    ORIGINAL["set_"](tensor, place(on_storage(tensor.untyped_storage(), tensor)))


def _make_room(tensor, size, **_):
    """resize_ to more than the storage holds: a new one, for this tensor alone. torch would let other views see it, too."""
    last = 1
    for extent in size:
        last *= extent
    needed = (tensor.storage_offset() + last) * tensor.element_size()
    old = tensor.untyped_storage()
    if needed <= old.nbytes():
        return
    storage = memory.new_storage(needed)
    if old.nbytes():
        hip.call("hipMemcpy", ctypes.c_void_p(storage.data_ptr()), ctypes.c_void_p(old.data_ptr()), ctypes.c_size_t(old.nbytes()), 3)
    ORIGINAL["set_"](tensor, on_storage(storage, tensor))


_COPIES = frozenset(("clone", "_to_copy", "copy_"))


def _is_dense(tensor):
    return not tensor.is_conj() and not tensor.is_neg() and tensor.is_contiguous() and tensor.numel() > 0


def _copied(name, args, kwargs):
    """What a copy from contiguous to contiguous gives, by a copy of the device, which takes along which bytes were written.

    None: the operator has more to do.
    """
    target, source = (args[0], args[1]) if name == "copy_" else (None, args[0])
    if not isinstance(source, DeviceTensor) or not _is_dense(source):
        return None
    dtype = kwargs.get("dtype") or source.dtype
    other_format = kwargs.get("memory_format") not in (None, torch.preserve_format, torch.contiguous_format)
    fits = target is None or isinstance(target, DeviceTensor) and _is_dense(target) and target.dtype == dtype and target.shape == source.shape
    if dtype != source.dtype or other_format or not fits:
        told(hip.read, source)
        return None
    result = target
    if result is None:
        storage = memory.new_storage(source.numel() * source.element_size())
        plain = ORIGINAL["set_"](empty(0, dtype=dtype, device=host), storage, 0, source.size(), source.stride())
        result = wrap(plain)
    size = source.numel() * source.element_size()
    hip.call("hipMemcpy", ctypes.c_void_p(result.data_ptr()), ctypes.c_void_p(source.data_ptr()), ctypes.c_size_t(size), 3)
    return result


def _placed(out, known, written, moved):
    """Results as device tensors: in memory of the device, one storage for those that share one."""
    if isinstance(out, (list, tuple)):
        results = [_placed(each, known, written, moved) for each in out]
        return type(out)(results) if type(out) in (list, tuple) else type(out)(*results) if hasattr(out, "_fields") else tuple(results)
    if not isinstance(out, torch.Tensor) or isinstance(out, DeviceTensor) or out.device != host:
        return out
    if out.layout == torch.strided and (out.untyped_storage().data_ptr() in known or memory.holds(out.untyped_storage())):
        return wrap(out)
    key = out.untyped_storage().data_ptr() if out.layout == torch.strided else 0
    if key not in moved:
        moved[key] = place(out, written)
        return moved[key]
    return wrap(on_storage(moved[key].untyped_storage(), out))


def install():
    DeviceTensor.__torch_dispatch__ = classmethod(lambda cls, func, types, args=(), kwargs=None: dispatch(func, args, dict(kwargs or {})))
