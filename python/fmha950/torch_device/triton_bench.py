"""Triton's benchmarks and autotuners. A launch on the device takes emulation's time: nothing is repeated for the clock's sake."""

import json
import math
import os
import pathlib
import warnings

from fmha950.torch_device import properties
from fmha950.torch_device.hip import hip

def _file():
    return REPORT.replace("%p", str(os.getpid()))


# Where the device writes, whatever folder the program goes to later: the device's first call opens the file.
_named = os.environ.get("FMHA950_TIMING_REPORT")
REPORT = os.path.abspath(_named) if _named else ""
if REPORT:
    hip.synchronize()
    # The device empties a file that is there with this process's first line. Before that its length says nothing of what is new.
    if os.path.isfile(_file()):
        os.truncate(_file(), 0)


def is_modelled():
    """Whether launches are modelled clock by clock: device python --perf, or the device's variables."""
    return os.environ.get("FMHA950_TIMING", "off" if not os.environ.get("FMHA950_TIMING_REPORT") else "samples") != "off"


def modelled_ms(function):
    """What the cycle model says of the launches of one call, in milliseconds; NaN where it says nothing."""
    hip.synchronize()
    if REPORT:  # which gets the lines in place of whoever asks
        path = pathlib.Path(_file())
        before = path.stat().st_size
        function()
        hip.synchronize()
        lines = path.read_bytes()[before:].splitlines()
    else:
        hip.library.fmha950Timings()
        function()
        hip.synchronize()
        lines = hip.library.fmha950Timings().splitlines()
    clocks = [json.loads(line)["gpu_clocks"] for line in lines]
    if not clocks or None in clocks:
        return math.nan
    return sum(clocks) / properties.get().clock_rate  # kHz: clocks of a millisecond


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """triton.testing.do_bench: one call. Every quantile is that of one call, modelled; NaN without a cycle model."""
    for tensor in grad_to_none or ():
        tensor.grad = None
    if is_modelled():
        time = modelled_ms(fn)
    else:
        fn()
        hip.synchronize()
        time = math.nan
        warnings.warn("fmha950: do_bench made one call and measured nothing: device python --perf gives modelled milliseconds", stacklevel=2)
    if quantiles is not None:
        return time if len(quantiles) == 1 else [time] * len(quantiles)
    return [time] if return_mode == "all" else time


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    return do_bench(fn, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def _tune(autotuner):
    """Without a cycle model the first of its configurations is taken, and none is launched to compare."""
    prune, bench = autotuner.prune_configs, autotuner._bench

    def prune_configs(self, kwargs):
        kept = prune(self, kwargs)
        return kept if is_modelled() else kept[:1]

    def _bench(self, *args, config, **meta):
        return bench(self, *args, config=config, **meta) if is_modelled() else [math.nan] * 3

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        bench_fn()  # what a GPU or another model chose does not count here, nor this there
        return False

    autotuner.prune_configs, autotuner._bench, autotuner.check_disk_cache = prune_configs, _bench, check_disk_cache


def after_import(name, module):
    if name == "triton.testing":
        module.do_bench, module.do_bench_cudagraph = do_bench, do_bench_cudagraph
    elif name == "triton.runtime.autotuner":
        _tune(module.Autotuner)
