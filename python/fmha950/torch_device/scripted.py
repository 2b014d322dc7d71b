"""TorchScript: its interpreter asks C++ for devices, which has no such one. Functions stay Python's, as under PYTORCH_JIT=0; what was compiled
elsewhere is refused on cuda."""

import functools

import torch

from fmha950.torch_device.tensor import DeviceTensor, is_cuda

_WHY = "TorchScript's interpreter has no such device: load the module's weights into one of Python's"


def require_python(module, move):
    """Module.to and its like, of a module that TorchScript has compiled; `move`: what they do to a tensor."""
    if isinstance(module, torch.jit.ScriptModule) and isinstance(move(torch.empty(0, device="cpu")), DeviceTensor):
        raise RuntimeError(f"fmha950: a torch.jit.ScriptModule on cuda is refused on the embedded device: {_WHY}")


def install():
    torch.jit._state.disable()  # torch.jit.script and trace give back what they are given
    load = torch.jit.load

    @functools.wraps(load)
    def loading(f, map_location=None, *args, **kwargs):
        if is_cuda(map_location):
            raise RuntimeError(f"fmha950: torch.jit.load(map_location='{map_location}') is refused on the embedded device: {_WHY}")
        return load(f, map_location, *args, **kwargs)

    torch.jit.load = loading
    save = torch.jit.save

    @functools.wraps(save)
    def saving(m, *args, **kwargs):
        if not isinstance(m, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
            raise RuntimeError("fmha950: torch.jit.save is refused on the embedded device, where torch.jit.script gives back what is Python's: "
                               "save it in a program that runs without fmha950")
        return save(m, *args, **kwargs)

    torch.jit.save = saving
