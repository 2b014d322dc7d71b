"""What torch calls differently in its versions."""

import functools

import torch

TensorBase = getattr(torch._C, "TensorBase", None) or torch._C._TensorBase
# Whether functions of torch pass device tensors on to DeviceTensor.__torch_function__.
no_function = getattr(torch._C, "DisableTorchFunctionSubclass", None) or torch._C.DisableTorchFunction


class _Guard:
    """Of a guard of torch before 2.0, which acts as long as the object lives."""

    def __init__(self, guard):
        self.make = guard

    def __enter__(self):
        self.guard = self.make()

    def __exit__(self, *_):
        del self.guard


def _as_context(guard):
    return guard if hasattr(guard, "__enter__") else functools.partial(_Guard, guard)


# Whether operators on device tensors go to DeviceTensor.__torch_dispatch__.
no_dispatch = _as_context(torch._C._DisableTorchDispatch)
# Within it functions of torch go to DeviceTensor.__torch_function__ again.
with_function = _as_context(torch._C._EnableTorchFunction)

try:
    from torch.utils._device import DeviceContext, _device_constructors
except ImportError:  # before 2.0: no `with torch.device(...)`, no torch.set_default_device
    DeviceContext, _device_constructors = None, None


_COMPOSITE = "CompositeImplicitAutograd"
_COMPOSITE_KEY = getattr(torch._C.DispatchKey, _COMPOSITE) if hasattr(torch._C, "DispatchKey") else _COMPOSITE


def is_composite(func):
    """Whether an operator is made of others."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), _COMPOSITE)


def decompose(func, *args, **kwargs):
    """Calls the others by torch's C++. OpOverload.decompose may take torch's Python for it, whose LSTM has no dropout (2.8)."""
    return func._op_dk(_COMPOSITE_KEY, *args, **kwargs)


BEFORE_2 = ("arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "empty_strided", "eye", "full", "hamming_window",
            "hann_window", "kaiser_window", "linspace", "logspace", "ones", "rand", "randint", "randn", "randperm", "range", "scalar_tensor",
            "sparse_coo_tensor", "sparse_csr_tensor", "tensor", "tril_indices", "triu_indices", "zeros", "empty_quantized")


def constructors():
    """Names of the functions of torch that make tensors of nothing."""
    return BEFORE_2 if _device_constructors is None else sorted({f.__name__ for f in _device_constructors()})


def forget_constructors():
    """Whoever asks torch next sees the functions in their place."""
    if _device_constructors is not None:
        _device_constructors.cache_clear()


def default_device():
    """Of `with torch.device(...)` or torch.set_default_device; None without either."""
    if DeviceContext is None or torch._C._len_torch_function_stack() == 0:
        return None
    for mode in reversed(torch.overrides._get_current_function_mode_stack()):
        if isinstance(mode, DeviceContext):
            return mode.device
    return None


def typed_storage(untyped, dtype):
    internal = {} if DeviceContext is None else {"_internal": True}
    return torch.storage.TypedStorage(wrap_storage=untyped, dtype=dtype, **internal)


if not hasattr(torch.Tensor, "untyped_storage"):

    def untyped_storage(self):
        with no_function():
            return torch._C._TensorBase.storage(self).untyped() if hasattr(torch._C._TensorBase, "storage") else self._storage()

    torch.Tensor.untyped_storage = untyped_storage
