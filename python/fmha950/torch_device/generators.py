"""Random numbers of the device: a stream of torch's generator for the CPU, apart from the CPU's own. A GPU draws others."""

import weakref

import torch

CpuGenerator = torch._C.Generator
# Those of the device by what is theirs in C++: to operators a generator comes as another object of Python.
_of_device: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


class Generator(CpuGenerator):
    """torch.Generator: device "cuda" gives one for device tensors."""

    def __new__(cls, device="cpu"):
        device = torch.device(device)
        self = super().__new__(cls, "cpu" if device.type == "cuda" else device)
        self.__dict__["_cuda"] = device.type == "cuda"
        if device.type == "cuda":
            _of_device[self._cdata] = self
        return self

    def __init__(self, device="cpu"):
        pass

    @property
    def device(self):
        return torch.device("cuda", 0) if self.__dict__["_cuda"] else super().device


def is_of_device(generator):
    return generator._cdata in _of_device


default = Generator("cuda")
default.manual_seed(torch.initial_seed())


def name_one(kwargs):
    """The generator of a call on the device: what `kwargs` names, which must be of the device, else the default one."""
    given = kwargs.get("generator")
    if given is None:
        kwargs["generator"] = default
    elif not is_of_device(given):
        raise RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
