"""What makes tensors on a device that is named or is the default one."""

import functools

import torch

from fmha950.torch_device import compat, draws, generators, transfers
from fmha950.torch_device.compat import default_device, no_dispatch
from fmha950.torch_device.tensor import DEVICE, DeviceTensor, compact, host, is_cuda, new_tensor, on_storage, place, tensors_in

UNWRITTEN = frozenset(("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"))
ZERO = frozenset(("zeros", "zeros_like", "new_zeros"))
LIKE = ("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like")
NEW = ("new_empty", "new_empty_strided", "new_zeros", "new_ones", "new_full", "new_tensor")
QUANTIZED = ("empty_quantized", "quantize_per_tensor", "quantize_per_channel")
NESTED = ("nested_tensor", "as_nested_tensor", "nested_tensor_from_jagged")
TAKE_GENERATOR = frozenset(("rand", "randn", "randint", "randperm", "normal"))
FROM_DATA = ("tensor", "as_tensor", "asarray")


def _place(make, name, kwargs):
    """Makes a tensor of the CPU by `make`, and places it. Of empty ones and zeros torch says no more than sizes and strides."""
    requires_grad, pinned = kwargs.pop("requires_grad", False), kwargs.pop("pin_memory", False)
    if pinned:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    if kwargs.get("layout", torch.strided) != torch.strided:
        refused(f"{name}(layout={kwargs['layout']})")()
    with torch.no_grad():
        if name in UNWRITTEN or name in ZERO:
            result = new_tensor(make(**kwargs, device="meta"), name in ZERO)
        else:
            if name in TAKE_GENERATOR:
                generators.name_one(kwargs)
            result = place(compact(make(**kwargs, device=host)))
    return result.requires_grad_() if requires_grad else result


def _pinned(result, wanted):
    return result.pin_memory() if wanted else result


def plain_factory(name, original):
    """torch.zeros, torch.arange ..."""

    @functools.wraps(original)
    def factory(*args, device=None, **kwargs):
        where = default_device() if device is None else device
        out = kwargs.get("out")
        if out is not None:
            if isinstance(out, DeviceTensor):
                if name in TAKE_GENERATOR:
                    generators.name_one(kwargs)
                return original(*args, **kwargs)
            return original(*args, device=device, **kwargs)
        if is_cuda(where):
            return _place(functools.partial(original, *args), name, kwargs)
        pinned = kwargs.pop("pin_memory", False)
        return _pinned(original(*args, device=where, **kwargs), pinned)

    return factory


def from_data(name, original):
    """torch.tensor, torch.as_tensor and torch.asarray, whose data may be a tensor of either device."""

    @functools.wraps(original)
    def factory(data, *args, dtype=None, device=None, **kwargs):
        where = default_device() if device is None and not isinstance(data, torch.Tensor) else device
        if args:  # torch.as_tensor(data, dtype, device)
            dtype, where = args[0], args[1] if len(args) > 1 else where
        if isinstance(data, DeviceTensor) or isinstance(data, torch.Tensor) and is_cuda(where):
            requires_grad = kwargs.pop("requires_grad", False)
            copies = name == "tensor" or kwargs.get("copy")
            result = transfers.to(data.detach() if name == "tensor" else data, device=where, dtype=dtype)
            result = result.clone() if copies and result.data_ptr() == data.data_ptr() else result
            return result.requires_grad_() if requires_grad else result
        if is_cuda(where):
            kwargs.pop("copy", None)
            if isinstance(data, (list, tuple)):
                data = _without_device_tensors(data)
            return _place(functools.partial(original, data, dtype=dtype), name, kwargs)
        pinned = kwargs.pop("pin_memory", False)
        return _pinned(original(data, dtype=dtype, device=where, **kwargs), pinned)

    return factory


def _without_device_tensors(data):
    """Nested lists whose tensors of one element, which torch.tensor takes for numbers, are numbers."""
    if isinstance(data, (list, tuple)):
        return [_without_device_tensors(each) for each in data]
    return data.tolist() if isinstance(data, DeviceTensor) else data


def from_another(name, original):
    """torch.zeros_like, Tensor.new_zeros ...: the device is that of the other tensor unless one is named."""

    @functools.wraps(original)
    def factory(other, *args, device=None, **kwargs):
        wanted = isinstance(other, DeviceTensor) if device is None else is_cuda(device)
        if device is not None and not wanted and torch.device(device).type != "cpu":
            return original(other, *args, device=device, **kwargs)
        pinned = kwargs.pop("pin_memory", False)
        if wanted:
            if name == "new_tensor":
                return torch.tensor(*args, device=DEVICE, **{"dtype": other.dtype, **kwargs})
            if name in draws.LIKE:
                return _drawn_like(name, other, args, kwargs)
            return _place(functools.partial(original, _template(other), *args), name, kwargs)
        return _pinned(original(_template(other), *args, **kwargs), pinned)

    return factory


def _drawn_like(name, other, bounds, kwargs):
    bounds = (*bounds, *(kwargs.pop(key) for key in ("low", "high") if key in kwargs))
    requires_grad, generator = kwargs.pop("requires_grad", False), kwargs.pop("generator", None)
    with torch.no_grad():
        result = draws.fill_like(name, torch.empty_like(other, device=DEVICE, **kwargs), bounds, generator)
    return result.requires_grad_() if requires_grad else result


def _template(other):
    """A tensor of the CPU like another: same type, sizes and strides, memory that nobody looks at."""
    if not isinstance(other, DeviceTensor):
        return other
    with no_dispatch(), torch.no_grad():
        return on_storage(other.untyped_storage(), other)


def refused(name):
    def factory(*args, **kwargs):
        raise RuntimeError(f"fmha950: torch.{name} on cuda is not supported: strided tensors alone are")

    return factory


def or_refused(name, original):
    """Refused on cuda, also of tensors that are there."""
    refuse = refused(name)

    @functools.wraps(original)
    def factory(*args, **kwargs):
        device = kwargs.get("device")
        is_ours = any(isinstance(tensor, DeviceTensor) for tensor in tensors_in((args, tuple(kwargs.values()))))
        return refuse() if is_ours or is_cuda(default_device() if device is None else device) else original(*args, **kwargs)

    return factory


def install():
    for name in (*(name for name in dir(torch) if name.startswith("sparse_") and name.endswith("_tensor")), *QUANTIZED):
        setattr(torch, name, or_refused(name, getattr(torch, name)))
    for name in NESTED:
        if hasattr(torch.nested, name):
            setattr(torch.nested, name, or_refused(f"nested.{name}", getattr(torch.nested, name)))
    for name in (*compat.constructors(), "normal"):
        original = getattr(torch, name, None)
        if original is None or name.startswith("sparse_") or name in QUANTIZED:
            continue  # of torch.fft and torch.nested, or refused
        if name in FROM_DATA:
            setattr(torch, name, from_data(name, original))
        elif name == "normal":
            torch.normal = _normal(original)
        else:
            setattr(torch, name, plain_factory(name, original))
    for name in ("fftfreq", "rfftfreq"):
        setattr(torch.fft, name, plain_factory(name, getattr(torch.fft, name)))
    for name in LIKE:
        setattr(torch, name, from_another(name, getattr(torch, name)))
    for name in NEW:
        setattr(torch.Tensor, name, from_another(name, getattr(torch.Tensor, name)))
    compat.forget_constructors()
    torch.Generator = generators.Generator


def _normal(original):
    """torch.normal(mean, std), whose device is that of tensors among them, and torch.normal(mean, std, size, device=)."""
    sized = plain_factory("normal", original)

    def normal(*args, **kwargs):
        has_tensor = any(isinstance(value, torch.Tensor) for value in (*args, *kwargs.values()))
        return original(*args, **kwargs) if has_tensor else sized(*args, **kwargs)

    return functools.wraps(original)(normal)
