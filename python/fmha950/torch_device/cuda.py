"""torch.cuda and torch.accelerator of the embedded device."""

import contextlib
import ctypes
import types

import torch

from fmha950.torch_device import generators, memory, properties, streams
from fmha950.torch_device.hip import hip
from fmha950.torch_device.tensor import is_cuda


def _checked(device):
    if device is not None and not (isinstance(device, torch.device) and device.type == "cuda" or is_cuda(device)):
        raise ValueError(f"Expected a cuda device, but got: {device}")
    is_cuda(device)  # refuses a wrong index
    return 0


class device(contextlib.ContextDecorator):
    """torch.cuda.device: there is one."""

    def __init__(self, device):
        self.idx = -1 if isinstance(device, int) and device < 0 else _checked(device)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def synchronize(device=None):
    hip.synchronize()


def _device_function(result):
    """A function of an optional device."""

    def function(device=None, *_, **__):
        _checked(device)
        return result() if callable(result) else result

    return function


def mem_get_info(device=None):
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    hip.call("hipMemGetInfo", ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def memory_stats(device=None):
    s = memory.statistics
    names = {f"{what}.all.{when}": value for what, value_of in (("allocated_bytes", 1), ("reserved_bytes", 1))
             for when, value in (("current", s.current), ("peak", s.peak), ("allocated", s.total), ("freed", s.total - s.current))}
    return {**names, "allocation.all.current": s.count, "num_ooms": 0, "num_alloc_retries": 0}


def memory_summary(device=None, abbreviated=False):
    return "\n".join(f"{name}: {value}" for name, value in memory_stats().items())


def reset_peak_memory_stats(device=None):
    memory.statistics.peak = memory.statistics.current


def nothing(*_, **__):
    """What a GPU would do here changes nothing that a program can see."""


def refuse(name, why):
    def refused(*_, **__):
        raise RuntimeError(f"fmha950: {name} is refused on the embedded device: {why}")

    return refused


class _Refused(type):
    def __call__(cls, *_, **__):
        raise RuntimeError(f"fmha950: {cls.words} is refused on the embedded device: {cls.why}")

    def __instancecheck__(cls, value):
        return isinstance(value, torch.Tensor) and value.type() == cls.words  # of torch.cuda.FloatTensor and its like


def refused_class(name, why):
    """A class, so that others may name it in isinstance, of which there are no objects."""
    return _Refused(name.rsplit(".", maxsplit=1)[-1], (), {"words": name, "why": why})


class _nvtx(types.ModuleType):
    range_push = range_pop = mark = range_start = range_end = staticmethod(nothing)

    @staticmethod
    @contextlib.contextmanager
    def range(*_, **__):
        yield


def _manual_seed(seed):
    generators.default.manual_seed(int(seed))


GRAPHS = "a graph of torch has a memory pool of its own; graphs of HIP work (docs/device.md)"


def surface():
    """Name: what stands in torch.cuda in its place."""
    stats = memory.statistics
    get_properties = _device_function(properties.get)
    random = generators.default
    return {
        "is_available": lambda: True, "device_count": lambda: 1, "is_initialized": lambda: True, "init": nothing, "_lazy_init": nothing,
        "_lazy_call": lambda function, **_: function(), "_is_compiled": lambda: True, "is_bf16_supported": lambda including_emulation=True: True,
        "is_tf32_supported": lambda: False, "current_device": lambda: 0, "set_device": _checked, "device": device, "device_of": lambda t: device(0),
        "_exchange_device": lambda index: 0, "_maybe_exchange_device": lambda index: 0,
        "synchronize": synchronize, "current_stream": streams.current_stream, "default_stream": streams.default_stream,
        "set_stream": streams.set_stream, "stream": streams.stream, "Stream": streams.Stream, "ExternalStream": streams.ExternalStream,
        "Event": streams.Event, "get_device_properties": get_properties, "get_device_name": lambda device=None: get_properties(device).name,
        "get_device_capability": lambda device=None: (get_properties(device).major, get_properties(device).minor),
        "can_device_access_peer": lambda device, peer: False, "get_arch_list": lambda: ["gfx950"], "get_gencode_flags": lambda: "",
        "mem_get_info": mem_get_info, "memory_allocated": _device_function(lambda: stats.current),
        "max_memory_allocated": _device_function(lambda: stats.peak), "memory_reserved": _device_function(lambda: stats.current),
        "max_memory_reserved": _device_function(lambda: stats.peak), "memory_cached": _device_function(lambda: stats.current),
        "memory_stats": memory_stats, "memory_summary": memory_summary, "reset_peak_memory_stats": reset_peak_memory_stats,
        "reset_max_memory_allocated": reset_peak_memory_stats, "reset_accumulated_memory_stats": nothing, "empty_cache": nothing,
        "ipc_collect": nothing, "set_per_process_memory_fraction": nothing, "manual_seed": _manual_seed, "manual_seed_all": _manual_seed,
        "seed": random.seed, "seed_all": random.seed, "initial_seed": random.initial_seed,
        "get_rng_state": _device_function(random.get_state), "get_rng_state_all": lambda: [random.get_state()],
        "set_rng_state": lambda state, device=None: random.set_state(state) and None,
        "set_rng_state_all": lambda states: random.set_state(states[0]) and None, "default_generators": (random,),
        "is_current_stream_capturing": lambda: False, "CUDAGraph": refused_class("torch.cuda.CUDAGraph", GRAPHS),
        "graph": refused_class("torch.cuda.graph", GRAPHS), "graph_pool_handle": refuse("torch.cuda.graph_pool_handle", GRAPHS),
        "make_graphed_callables": refuse("torch.cuda.make_graphed_callables", GRAPHS), "MemPool": refused_class("torch.cuda.MemPool", GRAPHS),
        "caching_allocator_alloc": refuse("torch.cuda.caching_allocator_alloc", "allocate a tensor"), "nvtx": _nvtx("torch.cuda.nvtx"),
    }


def accelerator():
    """torch.accelerator, of later versions of torch."""
    return {"is_available": lambda: True, "device_count": lambda: 1, "current_accelerator": lambda check_available=False: torch.device("cuda"),
            "current_device_index": lambda: 0, "current_device_idx": lambda: 0, "set_device_index": _checked, "set_device_idx": _checked,
            "synchronize": synchronize, "current_stream": streams.current_stream, "set_stream": streams.set_stream, "device_index": device}


def install():
    for name, value in surface().items():
        setattr(torch.cuda, name, value)
    for name, value in accelerator().items() if hasattr(torch, "accelerator") else ():
        setattr(torch.accelerator, name, value)
    for module in ("memory", "streams", "random", "graphs"):  # functions are found there, too
        of = getattr(torch.cuda, module, None)
        for name, value in surface().items() if of is not None else ():
            if hasattr(of, name):
                setattr(of, name, value)
    for name in [name for name in dir(torch.cuda) if name.endswith("Tensor")]:
        setattr(torch.cuda, name, refused_class(f"torch.cuda.{name}", "write torch.tensor(..., device='cuda')"))
    torch.backends.cudnn.is_acceptable = lambda tensor: False
    torch.version.hip, torch.version.cuda = "6.4.0", None  # what a ROCm build says, by which Triton chooses its backend
    torch._C._cuda_getCurrentRawStream = lambda device=0: streams.current_stream().cuda_stream
    torch._C._cuda_getDevice = lambda: 0
    _seed_both()


def _seed_both():
    """torch.manual_seed and torch.seed are for all devices."""
    manual_seed = torch.manual_seed

    def seeding(seed):
        _manual_seed(seed)
        return manual_seed(seed)

    torch.manual_seed = torch.random.manual_seed = seeding
