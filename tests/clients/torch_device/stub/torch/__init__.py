"""A torch of our own for tests where there is none: as much of its surface as fmha950.torch_device takes hold of, on NumPy. It knows no device but
"cpu" and "meta": what is on cuda is the layer's. What it is for and what it cannot show: docs/python.md, "How the layer is tested".

Its names are torch's; it has no autograd, no C++ dispatcher and few operators (operators.py).
"""

import os
import types

__version__ = os.environ.get("TORCH_STUB_VERSION", "2.8.0")

from torch import _C, _ops, autograd, cuda, jit, library, nn, random, serialization  # noqa: E402
from torch._C import Generator, default_generator  # noqa: E402,F401
from torch.autograd import enable_grad, no_grad  # noqa: E402,F401
from torch.factories import *  # noqa: E402,F403
from torch.operators import ops  # noqa: E402,F401
from torch.random import initial_seed, manual_seed  # noqa: E402,F401
from torch.serialization import save  # noqa: E402,F401
from torch.storage import UntypedStorage  # noqa: E402,F401
from torch.tensor import Tensor, device, dtype, equal  # noqa: E402,F401
from torch.tensor import bool, float16, float32, float64, int32, int64, strided, uint8  # noqa: E402,F401,A004

contiguous_format, preserve_format = "contiguous", "preserve"
bfloat16 = object()  # a name: NumPy has none
version = types.SimpleNamespace(hip=None, cuda="12.8")
__future__ = types.SimpleNamespace()
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace())


def _absent(name):
    """What the layer puts something else in place of, and no test calls as it was."""

    def absent(*_, **__):
        raise NotImplementedError(f"the stub of torch has no {name}")

    absent.__name__ = name
    return absent


compile = _absent("compile")  # noqa: A001
set_autocast_enabled = _absent("set_autocast_enabled")
sparse_coo_tensor, empty_quantized, quantize_per_tensor, quantize_per_channel = map(
    _absent, ("sparse_coo_tensor", "empty_quantized", "quantize_per_tensor", "quantize_per_channel"))
_has_compatible_shallow_copy_type = _absent("_has_compatible_shallow_copy_type")
_utils = types.SimpleNamespace(_rebuild_tensor=_absent("_rebuild_tensor"))
fft = types.SimpleNamespace(fftfreq=_absent("fftfreq"), rfftfreq=_absent("rfftfreq"))
nested = types.SimpleNamespace(nested_tensor=_absent("nested_tensor"))
utils = types.SimpleNamespace(dlpack=types.SimpleNamespace(to_dlpack=_absent("to_dlpack"), from_dlpack=_absent("from_dlpack")))


class autocast:
    def __init__(self, device_type, enabled=True):
        self.device_type, self.enabled = device_type, enabled
