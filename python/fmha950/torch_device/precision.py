"""Operators whose sums torch's CPU rounds to 16 bits on the way, where libraries of GPUs keep float32: they get float32, and their results are
rounded once."""

import torch

NARROW = (torch.float16, torch.bfloat16)
SUMS = frozenset(("mm", "bmm", "addmm", "baddbmm", "addmv", "mv", "dot", "native_layer_norm", "native_layer_norm_backward", "native_group_norm",
                  "native_group_norm_backward", "native_batch_norm", "native_batch_norm_backward", "convolution", "convolution_backward",
                  "embedding_dense_backward", "cumsum", "_softmax_backward_data", "_log_softmax_backward_data"))
OF_ONE_TYPE = frozenset(("mm", "bmm", "addmm", "baddbmm", "addmv", "mv", "dot", "linear"))  # torch refuses tensors of two
STATISTICS_STAY_WIDE = frozenset(("native_layer_norm", "native_group_norm", "native_batch_norm"))  # all results but the first


def _wide(value):
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype in NARROW else value
    return [_wide(each) for each in value] if isinstance(value, list) else value


def widened(name, func, args, kwargs):
    """What func gives in float32, rounded to the type of the first argument of 16 bits; None: it has none, or names a type itself, or
    they are of types that torch does not mix."""
    narrow = next((a.dtype for a in args if isinstance(a, torch.Tensor) and a.dtype in NARROW), None)
    if narrow is None or any(kwargs.values()):
        return None
    if name in OF_ONE_TYPE and any(isinstance(a, torch.Tensor) and a.dtype != narrow for a in args):
        return None
    args = [None if value is None else _wide(value) for value in args]
    if name in ("_softmax_backward_data", "_log_softmax_backward_data"):
        args[3] = torch.float32  # the type of the forward pass's input
    out = func(*args)
    results = out if isinstance(out, (list, tuple)) else (out,)
    kept = 1 if name in STATISTICS_STAY_WIDE else len(results)
    results = tuple(r.to(narrow) if isinstance(r, torch.Tensor) and r.dtype == torch.float32 and i < kept else r for i, r in enumerate(results))
    return results if isinstance(out, (list, tuple)) else results[0]
