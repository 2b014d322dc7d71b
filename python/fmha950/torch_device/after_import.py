"""Calls functions of (name, module) when a module has been imported, now for those that are there."""

import importlib.abc
import importlib.util
import sys

NAMES = ("torch.utils.cpp_extension", "torch.distributed", "triton.testing", "triton.runtime.autotuner")


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the others find a module, and adds to what its loader does."""

    def __init__(self, callbacks):
        self.callbacks, self.within = callbacks, False

    def find_spec(self, name, path=None, target=None):
        if name not in NAMES or self.within:
            return None
        self.within = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.within = False
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            for callback in self.callbacks:
                callback(name, module)

        spec.loader.exec_module = exec_module
        return spec


def install(*callbacks):
    for name in NAMES:
        if name in sys.modules:
            for callback in callbacks:
                callback(name, sys.modules[name])
    sys.meta_path.insert(0, _Finder(callbacks))
