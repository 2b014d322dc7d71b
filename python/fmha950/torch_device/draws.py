"""Operators that draw random numbers and take no generator: made of those that take one, which give the same numbers."""

import torch

from fmha950.torch_device import generators

LIKE = frozenset(("rand_like", "randn_like", "randint_like"))
# These draw nothing on the CPU: with dropout torch takes other operators.
NOTHING = frozenset(("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_fused_attention_overrideable", "_fused_sdp_choice"))


def fill_like(name, result, bounds, generator=None):
    """What torch.rand_like and its like draw; `bounds`: of randint_like its arguments behind the tensor."""
    generator = generators.default if generator is None else generator
    if name == "rand_like":
        return result.uniform_(generator=generator)
    if name == "randn_like":
        return result.normal_(generator=generator)
    low, high = (0, *bounds) if len(bounds) == 1 else bounds
    return result.random_(int(low), int(high), generator=generator)


def _like(name, args, kwargs):
    of, *bounds = args
    bounds += [kwargs.pop(key) for key in ("low", "high") if key in kwargs]
    out = kwargs.pop("out", None)
    if out is not None:
        return fill_like(name, out.resize_(of.shape), bounds)
    return fill_like(name, torch.ops.aten.empty_like.default(of, **kwargs), bounds)


def _dropout(values, p, train, out0=None, out1=None):
    """torch.native_dropout: values and a mask of what was kept."""
    if train is False:
        kept = torch.ops.aten.ones_like.default(values, dtype=torch.bool)
        results = values.clone(), kept
    else:
        kept = torch.ops.aten.empty_like.default(values, dtype=torch.bool).bernoulli_(1 - p, generator=generators.default)
        results = values.mul(kept).mul_(0 if p == 1 else 1 / (1 - p)), kept
    return results if out0 is None else (out0.resize_(values.shape).copy_(results[0]), out1.resize_(values.shape).copy_(results[1]))


def drawn(name, args, kwargs):
    """Results of an operator of aten that takes no generator. Under no_dispatch()."""
    if name in LIKE:
        return _like(name, args, dict(kwargs))
    if name == "native_dropout":
        return _dropout(*args, **kwargs)
    raise RuntimeError(f"fmha950: aten::{name} is refused on the embedded device: it draws from torch's generator for the CPU, and takes no other")
