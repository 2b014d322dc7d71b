"""torch.jit: a switch, and functions for the layer to take the place of."""

import types

_state = types.SimpleNamespace(disable=lambda: None)


class ScriptModule:
    pass


class ScriptFunction:
    pass


def load(f, map_location=None):
    return f


def save(m, f):
    return m
