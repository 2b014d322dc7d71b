from torch import _C


def manual_seed(seed):
    return _C.default_generator.manual_seed(seed)


def initial_seed():
    return _C.default_generator.initial_seed()
