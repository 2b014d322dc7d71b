"""Random numbers of the device: a stream of torch's generator for the CPU, apart from the CPU's own. A GPU draws others."""

import contextlib
import threading

import torch

CpuGenerator = torch._C.Generator


class Generator(CpuGenerator):
    """torch.Generator: device "cuda" gives one for device tensors."""

    def __new__(cls, device="cpu"):
        device = torch.device(device)
        self = super().__new__(cls, "cpu" if device.type == "cuda" else device)
        self.__dict__["_cuda"] = device.type == "cuda"
        return self

    def __init__(self, device="cpu"):
        pass

    @property
    def device(self):
        return torch.device("cuda", 0) if self.__dict__["_cuda"] else super().device


def is_of_device(generator):
    return isinstance(generator, Generator) and generator.__dict__["_cuda"]


default = Generator("cuda")
default.manual_seed(torch.initial_seed())
_lock = threading.RLock()


@contextlib.contextmanager
def drawing(kwargs=None, takes_generator=False):
    """What torch draws within is the device's: of the generator that `kwargs` names, else of the default one, which `kwargs` names from then on
    if what draws takes a generator."""
    given = (kwargs or {}).get("generator")
    if given is not None:
        if not is_of_device(given):
            raise RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
        yield
        return
    if kwargs is not None:
        kwargs.pop("generator", None)
    if takes_generator:
        kwargs["generator"] = default
        yield
        return
    with _lock:  # others draw from the CPU's default generator: a thread that draws from it meanwhile gets numbers of this one
        cpu = torch.default_generator
        state = cpu.get_state()
        cpu.set_state(default.get_state())
        try:
            yield
        finally:
            default.set_state(cpu.get_state())
            cpu.set_state(state)
