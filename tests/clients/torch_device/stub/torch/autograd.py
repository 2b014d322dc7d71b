"""No gradients: Functions go forward."""

import contextlib
import types


class Function:
    @classmethod
    def apply(cls, *args):
        return cls.forward(types.SimpleNamespace(), *args)


def grad(*_, **__):
    raise NotImplementedError("the stub of torch has no autograd")


no_grad = enable_grad = contextlib.nullcontext
