"""Python imports this at its start when `fmha950 device python` has put its folder on the path; child processes too. When torch has been
imported, "cuda" becomes the embedded device: nothing is imported before that."""

import importlib.machinery
import importlib.util
import os
import sys


class _TorchFinder:
    """Of torch alone: its loader goes on with fmha950.torch_device. It stays until both are there: who only asks whether there is a torch
    (importlib.util.find_spec) may import it later, and who was refused may try again."""

    within = False

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "torch" or cls.within:
            return None
        cls.within = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            cls.within = False
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            import fmha950.torch_device  # noqa: F401

            if cls in sys.meta_path:
                sys.meta_path.remove(cls)

        spec.loader.exec_module = exec_module
        return spec


def _import_the_next_one():
    """The sitecustomize that this one hides."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


sys.meta_path.insert(0, _TorchFinder)
_import_the_next_one()
