"""What torch's C++ tells Python: the guards by which calls on subclasses are passed on or not, a thread's own, and generators."""

import contextlib
import threading

import numpy


class _State(threading.local):
    function = dispatch = True


state = _State()


def _guard(name, value):
    @contextlib.contextmanager
    def guard():
        before = getattr(state, name)
        setattr(state, name, value)
        try:
            yield
        finally:
            setattr(state, name, before)

    return guard


class _AsContext:
    """A class, as torch's are, so that `with guard():` and hasattr(guard, "__enter__") hold."""

    def __init__(self):
        self.guard = type(self).make()

    def __enter__(self):
        return self.guard.__enter__()

    def __exit__(self, *error):
        return self.guard.__exit__(*error)


class DisableTorchFunctionSubclass(_AsContext):
    make = _guard("function", False)


class _EnableTorchFunction(_AsContext):
    make = _guard("function", True)


class _DisableTorchDispatch(_AsContext):
    make = _guard("dispatch", False)


class Generator:
    def __new__(cls, device="cpu"):
        self = super().__new__(cls)
        self.random, self._seed = numpy.random.RandomState(0), 0
        return self

    def __init__(self, device="cpu"):
        pass

    _cdata = property(id)

    def manual_seed(self, seed):
        self.random, self._seed = numpy.random.RandomState(seed), seed
        return self

    def initial_seed(self):
        return self._seed

    def seed(self):
        return self.manual_seed(1).initial_seed()

    def get_state(self):
        return self.random.get_state()

    def set_state(self, state_of):
        self.random.set_state(state_of)
        return self


default_generator = Generator()


def _dispatch_has_kernel_for_dispatch_key(name, key):
    return False


from torch.tensor import TensorBase  # noqa: E402,F401
