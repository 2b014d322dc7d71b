"""Operators that a program registers in Python (torch.library): on device tensors their kernel for CUDA is called, as on a GPU, or the one for
every backend. torch itself, to which these tensors are the CPU's, would take the one for the CPU."""

import functools

import torch

CUDA, ANY, CPU = "CUDA", "CompositeExplicitAutograd", "CPU"
_kernels: dict[str, dict[str, object]] = {}  # "namespace::name.overload": by dispatch key


def _full_name(library, operator):
    if not isinstance(operator, str):
        return name_of(operator)
    name = operator if "::" in operator else f"{library.ns}::{operator}"
    return name.removesuffix(".default")


def name_of(func):
    schema = func._schema
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name


def kernel_of(func):
    """What a program registered for device tensors; None: torch's own or C++'s, which the host executes."""
    kernels = _kernels.get(name_of(func)) if _kernels else None
    if not kernels:
        return None
    if kernel := kernels.get(CUDA) or kernels.get(ANY):
        return kernel
    raise NotImplementedError(f"Could not run '{name_of(func)}' with arguments from the 'CUDA' backend (fmha950: its kernel is registered for the CPU "
                              "alone: register one for CUDA, or for every backend)")


def install():
    impl = torch.library.Library.impl

    @functools.wraps(impl)
    def remembering(self, op_name, fn, dispatch_key="", **options):
        result = impl(self, op_name, fn, dispatch_key, **options)
        key = dispatch_key or self.dispatch_key
        if key in (CUDA, ANY, CPU) and not options.get("with_keyset") and not isinstance(fn, torch._ops.OpOverload):
            name = _full_name(self, op_name)
            _kernels.setdefault(name, {})[key] = fn
            self.__dict__.setdefault("_fmha950_kernels", []).append((name, key))
        return result

    torch.library.Library.impl = remembering
    if destroy := getattr(torch.library.Library, "_destroy", None):  # of a library's end

        @functools.wraps(destroy)
        def forgetting(self):
            for name, key in self.__dict__.pop("_fmha950_kernels", ()):
                _kernels.get(name, {}).pop(key, None)
            destroy(self)

        torch.library.Library._destroy = forgetting
