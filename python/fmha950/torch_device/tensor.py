"""Tensors on the device: to torch's C++ tensors of the CPU, whose storage is device memory; to Python tensors on cuda:0."""

import ctypes
import re

import torch

from fmha950.torch_device import memory
from fmha950.torch_device.compat import no_dispatch, no_function
from fmha950.torch_device.hip import hip
from fmha950.torch_device.ranges import ranges

DEVICE = torch.device("cuda", 0)
# Functions to which a tensor of the CPU may come beside one of the device; of these all results but the first are the CPU's.
OF_BOTH_DEVICES = frozenset(("_pack_padded_sequence", "_pad_packed_sequence"))
MAY_MIX = OF_BOTH_DEVICES | {"copy_", "index_put", "index_put_", "__getitem__", "__setitem__", "__get__", "__set__", "is_same_size", "set_"}
# Lengths and batch sizes, which are integers, stay on the CPU of these.
INTEGERS_MAY_MIX = frozenset(("ctc_loss", "lstm", "gru", "rnn_tanh", "rnn_relu"))
ORIGINAL = {name: getattr(torch.Tensor, name) for name in ("to", "type", "copy_", "set_")}  # transfers.py puts others in their place
host = torch.device("cpu")  # named at every call: torch.device("cuda") may be the default one
empty = torch.empty  # as torch has it: factories.py puts another in its place


def is_cuda(device):
    """Whether torch would take it for the GPU. An index that does not exist is refused as the GPU's runtime does."""
    if device is None or isinstance(device, str) and not device.startswith("cuda"):
        return False
    device = device if isinstance(device, torch.device) else torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    if device.type == "cuda" and device.index not in (None, 0):
        raise RuntimeError(f"CUDA error: invalid device ordinal: {device}: the embedded device is cuda:0 alone")
    return device.type == "cuda"


def told(tell, tensor):
    """Tells the device of all bytes of a tensor's elements: hip.read or hip.wrote."""
    tell(ranges(tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.element_size()))


def wrap(plain):
    """The device tensor of a tensor whose storage is device memory. Under no_dispatch()."""
    return torch.Tensor._make_subclass(DeviceTensor, plain)


def on_storage(storage, like):
    """A tensor of the CPU with another storage, else like `like`."""
    return ORIGINAL["set_"](empty(0, dtype=like.dtype, device=host), storage, like.storage_offset(), like.size(), like.stride())


def _require_elements(tensor):
    """In memory, at strides."""
    if type(tensor).__name__ == "FakeTensor":
        raise RuntimeError("fmha950: FakeTensorMode is refused on the embedded device: its tensors have no memory: name device='meta', or leave the mode")
    if kind := _other_kind(tensor):
        raise RuntimeError(f"fmha950: a tensor of layout {kind} on cuda is not supported: strided tensors alone are")


def _other_kind(plain):
    """Of a tensor that is more than elements at strides; "" of others."""
    return "quantized" if plain.is_quantized else "nested" if plain.is_nested else "" if plain.layout == torch.strided else str(plain.layout)


def place(plain, written=True):
    """A device tensor with the bytes of a tensor of the CPU; without them if nobody has written any."""
    _require_elements(plain)
    with no_dispatch(), torch.no_grad():
        plain = plain.resolve_conj().resolve_neg().detach()
        source = plain.untyped_storage()
        storage = memory.new_storage(source.nbytes())
        if written and source.nbytes():
            ctypes.memmove(storage.data_ptr(), source.data_ptr(), source.nbytes())
            hip.wrote([(storage.data_ptr(), source.nbytes())])
        return wrap(on_storage(storage, plain))


def compact(plain):
    """A tensor of the CPU as torch copies it to another device: its elements alone, and none twice. Itself if its storage is that already."""
    if _other_kind(plain):
        return plain
    dense = 1
    for stride, size in sorted((stride, size) for size, stride in zip(plain.shape, plain.stride()) if size != 1):
        dense = dense * size if stride == dense else 0
    is_whole = dense > 0 and plain.untyped_storage().nbytes() == plain.numel() * plain.element_size()
    return plain if is_whole else plain.clone(memory_format=torch.preserve_format)


def new_tensor(like, zero):
    """A device tensor like one of the meta device, that nobody wrote, or zero as memory is that the device gives."""
    _require_elements(like)
    storage = memory.new_storage(like.untyped_storage().nbytes())
    if zero and storage.nbytes():
        hip.wrote([(storage.data_ptr(), storage.nbytes())])
    with no_dispatch():
        return wrap(on_storage(storage, like))


def copy_out(tensor):
    """A tensor of the CPU with the elements of a device tensor."""
    hip.synchronize()
    with no_dispatch(), torch.no_grad():
        told(hip.read, tensor)
        plain = empty(0, dtype=tensor.dtype, device=host)
        plain = ORIGINAL["set_"](plain, tensor.untyped_storage(), tensor.storage_offset(), tensor.size(), tensor.stride())
        plain = plain.conj() if tensor.is_conj() else plain
        plain = plain._neg_view() if tensor.is_neg() else plain
        return plain.clone()


def tensors_in(value):
    """Of an argument, which may be a list of lists."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)


def _require_one_device(name, arguments):
    if name in MAY_MIX:
        return
    for tensor in tensors_in(arguments):
        if name in INTEGERS_MAY_MIX and not tensor.is_floating_point():
            continue
        if not isinstance(tensor, DeviceTensor) and tensor.dim() > 0 and tensor.device == host:
            raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! "
                               f"(when calling {name})")


def _on_device(out, inputs, place_one):
    """What a function of device tensors gives is theirs, also where torch's C++ has made it of nothing, by their options."""
    if isinstance(out, torch.Tensor):
        is_ours = isinstance(out, DeviceTensor) or out.device != host or any(out is each for each in inputs)
        return out if is_ours else place_one(out)
    if type(out) in (list, tuple):
        return type(out)(_on_device(each, inputs, place_one) for each in out)
    return out


class ToDevice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, plain):
        return place(compact(plain))

    @staticmethod
    def backward(ctx, gradient):
        return ToHost.apply(gradient)


class ToHost(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor):
        return copy_out(tensor)

    @staticmethod
    def backward(ctx, gradient):
        return ToDevice.apply(gradient)


class DeviceTensor(torch.Tensor):
    """See docs/python.md, "Scripts written for torch.cuda". Operators on it: operators.py; pickles: storing.py; DLPack: interchange.py."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """What programs call: the devices must be one, which C++ does not see, and what comes back is on it."""
        name = getattr(func, "__name__", "")
        if kwargs or len(args) != 1 or not isinstance(args[0], torch.Tensor):
            _require_one_device(name, (args, tuple((kwargs or {}).values())))
        with no_function():
            out = func(*args, **(kwargs or {}))
        if name in OF_BOTH_DEVICES:
            return _on_device(out[0], (), ToDevice.apply), *out[1:]
        if isinstance(out, (torch.Tensor, list, tuple)) and not isinstance(out, DeviceTensor):
            return _on_device(out, list(tensors_in((args, tuple((kwargs or {}).values())))), ToDevice.apply)
        return out

    device = property(lambda self: DEVICE)
    is_cuda = property(lambda self: True)
    is_cpu = property(lambda self: False)

    def get_device(self):
        return 0

    def numpy(self, *, force=False):
        if force:
            return self.detach().cpu().numpy()
        raise TypeError(f"can't convert {DEVICE} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.")

    def __array__(self, dtype=None):
        return self.numpy()

    def tolist(self):
        return self.detach().cpu().tolist()

    def __repr__(self, *, tensor_contents=None):
        text = repr(self.detach().cpu())
        gradient = ""
        if self.grad_fn is not None:
            gradient = f", grad_fn=<{type(self.grad_fn).__name__}>"
        elif self.requires_grad:
            gradient = ", requires_grad=True"
        before, dtype, name = re.fullmatch(r"(.*?)(,\s+dtype=([\w.]+))?\)", text, re.DOTALL).groups()
        text = f"{before}, device='{DEVICE}'{', dtype=' + name if dtype else ''}{gradient})"
        return f"Parameter containing:\n{text}" if getattr(self, "_is_param", False) else text

    def __format__(self, spec):
        if self.dim() == 0:
            return self.item().__format__(spec)
        return object.__format__(self, spec)

    def storage(self):
        return self._typed_storage()

    def is_pinned(self, device=None):
        return False

    def pin_memory(self, device=None):
        raise RuntimeError(f"cannot pin 'torch.cuda.{type(self).__name__}': only dense CPU tensors can be pinned")

    def share_memory_(self):
        return self

    def record_stream(self, stream):
        pass  # memory is given back when no stream has work any more
