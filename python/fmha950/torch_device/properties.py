"""torch.cuda.get_device_properties: the device's own answers."""

import ctypes
import functools
import types

from fmha950.torch_device.hip import hip


def _fields(text):
    """ "int: a b[3], size_t: c" as fields of a ctypes structure."""
    kinds = {"int": ctypes.c_int, "size_t": ctypes.c_size_t, "char": ctypes.c_char}
    for group in text.split(","):
        kind, names = group.split(":")
        for name in names.split():
            name, _, count = name.rstrip("]").partition("[")
            yield name, kinds[kind.strip()] * int(count) if count else kinds[kind.strip()]


class _HipProperties(ctypes.Structure):
    """The first fields of hipDeviceProp_t of HIP 6 and later (hip_runtime_api.h)."""

    _fields_ = list(_fields(
        "char: name[256] uuid[16] luid[8], int: luid_mask, size_t: total_memory shared_memory_per_block, int: regs_per_block warp_size, "
        "size_t: pitch, int: max_threads_per_block max_threads_dim[3] max_grid_size[3] clock_rate, size_t: constant_memory, "
        "int: major minor, size_t: texture_alignment texture_pitch_alignment, int: device_overlap multi_processor_count timeout "
        "is_integrated map_host_memory compute_mode textures[40], size_t: surface_alignment, "
        "int: concurrent_kernels ecc pci_bus_id pci_device_id pci_domain_id tcc async_engines unified_addressing memory_clock_rate "
        "memory_bus_width L2_cache_size persisting_L2 max_threads_per_multi_processor stream_priorities global_L1 local_L1, "
        "size_t: shared_memory_per_multiprocessor, int: regs_per_multiprocessor"))


SIZE, ARCH_AT = 1472, 1160  # of that structure; where its gcnArchName stands


@functools.cache
def get():
    """As torch's of a ROCm build: names and units are torch's."""
    buffer = ctypes.create_string_buffer(SIZE)
    hip.call("hipGetDevicePropertiesR0600", buffer, 0)
    raw = _HipProperties.from_buffer(buffer)
    known = {name: getattr(raw, name) for name, _ in _HipProperties._fields_}
    kept = ("total_memory", "shared_memory_per_block", "warp_size", "major", "minor", "multi_processor_count", "is_integrated",
            "L2_cache_size", "max_threads_per_multi_processor", "regs_per_multiprocessor", "max_threads_per_block", "clock_rate",
            "memory_clock_rate", "memory_bus_width", "shared_memory_per_multiprocessor", "pci_bus_id", "pci_device_id", "pci_domain_id")
    return types.SimpleNamespace(name=known["name"].decode(), gcnArchName=buffer[ARCH_AT:].split(b"\0")[0].decode(), is_multi_gpu_board=False,
                                 shared_memory_per_block_optin=known["shared_memory_per_block"], **{name: known[name] for name in kept})
