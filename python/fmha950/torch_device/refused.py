"""What the layer cannot do, refused by name when it is asked for."""

import functools

import torch

from fmha950.torch_device import cuda

def _compile(model=None, **options):
    """torch.compile: as a decorator it may stand there; what it decorates is refused when it is called."""
    if model is None:
        return functools.partial(_compile, **options)
    if not callable(model) or isinstance(model, (type, torch.nn.Module)):
        raise RuntimeError(_COMPILE)

    @functools.wraps(model)
    def refused(*_, **__):
        raise RuntimeError(_COMPILE)

    return refused


_COMPILE = "fmha950: torch.compile is refused on the embedded device: it traces tensors of torch's own; run the function without it"


def _refuse_autocast():
    """On tensors that torch sees on the CPU it would do nothing, without a word."""
    original = torch.autocast.__init__

    @functools.wraps(original)
    def init(self, device_type, *args, enabled=True, **kwargs):
        if device_type == "cuda" and enabled:
            raise RuntimeError("fmha950: torch.autocast('cuda') is refused on the embedded device: give the types yourself (x.to(dtype))")
        original(self, "cpu" if device_type == "cuda" else device_type, *args, enabled=enabled, **kwargs)

    torch.autocast.__init__ = init
    enable = torch.set_autocast_enabled

    @functools.wraps(enable)
    def set_autocast_enabled(*args):
        if args in ((True,), ("cuda", True)):
            raise RuntimeError("fmha950: torch.set_autocast_enabled for cuda is refused on the embedded device: give the types yourself (x.to(dtype))")
        enable(*args)

    torch.set_autocast_enabled = set_autocast_enabled


def after_import(name, module):
    """Of modules that are imported later."""
    if name == "torch.utils.cpp_extension":
        why = "an extension allocates on cuda by torch's C++, which has no such device here"
        for function in ("load", "load_inline", "CUDAExtension"):
            setattr(module, function, cuda.refuse(f"{name}.{function}", why))
    elif name == "torch.distributed":
        why = "there is one device, in one process"
        for owner in (module, getattr(module, "distributed_c10d", None)):
            if owner is not None:
                owner.init_process_group = cuda.refuse("torch.distributed.init_process_group", why)


def install():
    torch.compile = _compile
    _refuse_autocast()
