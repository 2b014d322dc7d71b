"""Module.to and its like: a parameter that moves stays the object that optimizers and other modules hold, where torch can do it."""

import functools
import threading
import warnings
import weakref

import torch

from fmha950.torch_device import scripted
from fmha950.torch_device.tensor import DeviceTensor

SWAPS = hasattr(torch.__future__, "set_swap_module_params_on_conversion")  # from torch 2.3 on


def _can_be_swapped(parameter):
    """As torch.utils.swap_tensors asks: nobody in C++ holds it, but for the node of autograd that adds to its gradient."""
    if parameter is None:
        return True
    if weakref.getweakrefs(parameter) or parameter._use_count() > 2:
        return False
    if parameter._use_count() == 1:
        return True
    if not parameter.requires_grad:
        return False
    node = torch.autograd.graph.get_gradient_edge(parameter).node  # would be one holder more if it was not there before
    return node is not None and parameter._use_count() == 2


class _Apply:
    """Module._apply, which goes through a tree of modules. What cannot be swapped becomes a new object, one for all modules that share the old one."""

    def __init__(self, apply):
        self.apply = apply
        self.lock = threading.RLock()  # whether torch swaps is one setting for all threads
        self.depth, self.moved = 0, {}  # id of an old one: the old one, which keeps its id from others, and the new one

    def __call__(self, module, *args, **kwargs):
        scripted.require_python(module, args[0] if args else kwargs["fn"])
        with self.lock:
            self.depth += 1
            try:
                before = dict(module._parameters)
                self._with_swap(module, *args, **kwargs)
                for name, old in before.items():
                    if old is not None and module._parameters[name] is not old:
                        module._parameters[name] = self._one_for_all(f"{type(module).__name__}.{name}", old, module._parameters[name])
                return module
            finally:
                self.depth -= 1
                if self.depth == 0:
                    self.moved.clear()

    def _with_swap(self, module, *args, **kwargs):
        if not SWAPS:
            self.apply(module, *args, **kwargs)
            return
        before = torch.__future__.get_swap_module_params_on_conversion()  # stays the program's for load_state_dict
        torch.__future__.set_swap_module_params_on_conversion(all(map(_can_be_swapped, module._parameters.values())))
        try:
            self.apply(module, *args, **kwargs)
        finally:
            torch.__future__.set_swap_module_params_on_conversion(before)

    def _one_for_all(self, name, old, new):
        if SWAPS and id(old) not in self.moved:
            warnings.warn(f"fmha950: {name} is moved while a graph of autograd or a weak reference holds it, or another of its module: it is a new "
                          "Parameter, and an optimizer that was made before keeps the old one", stacklevel=4)
        return self.moved.setdefault(id(old), (old, new))[1]


def install():
    compatible = torch._has_compatible_shallow_copy_type
    torch._has_compatible_shallow_copy_type = lambda a, b: isinstance(a, DeviceTensor) == isinstance(b, DeviceTensor) and compatible(a, b)
    apply = _Apply(torch.nn.Module._apply)
    torch.nn.Module._apply = functools.wraps(apply.apply)(lambda self, *args, **kwargs: apply(self, *args, **kwargs))
