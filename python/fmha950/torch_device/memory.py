"""Storages in memory of the device, which is memory of this process, too; and what is in use."""

import ctypes
import os
import sys
import threading

import torch

from fmha950.torch_device.hip import hip


class Statistics:
    """Bytes of live blocks: now, at most, and in all."""

    def __init__(self):
        self.lock = threading.RLock()  # a block may be freed by a garbage collection within any of this
        self.current = self.peak = self.total = self.count = 0

    def add(self, size):
        with self.lock:
            self.current += size
            self.peak = max(self.peak, self.current)
            if size > 0:
                self.total += size
            self.count += 1 if size > 0 else -1


statistics = Statistics()
device_blocks: dict[int, int] = {}  # address: bytes, of what lives
pinned_blocks: dict[int, int] = {}


class Block:
    """Memory that goes with the last storage that uses it. hipFree waits for the streams, which torch's allocator does not."""

    def __init__(self, size, pinned=False):
        self.size, self.pinned, self.process = size, pinned, os.getpid()
        if pinned:
            self.address = hip.value("hipHostMalloc", ctypes.c_void_p, ctypes.c_size_t(size), ctypes.c_uint(0))
            pinned_blocks[self.address] = size
        else:
            self.address = _allocate(size)
            device_blocks[self.address] = size
            statistics.add(size)

    def __del__(self):
        if sys.is_finalizing() or self.process != os.getpid() or not hasattr(self, "address"):
            return
        if self.pinned:
            pinned_blocks.pop(self.address, None)
            hip.library.hipHostFree(ctypes.c_void_p(self.address))
        else:
            device_blocks.pop(self.address, None)
            statistics.add(-self.size)
            hip.library.hipFree(ctypes.c_void_p(self.address))  # a fault is told by the next call that can raise


def _allocate(size):
    try:
        return hip.value("hipMalloc", ctypes.c_void_p, ctypes.c_size_t(size))
    except RuntimeError as error:
        if "hipErrorOutOfMemory" not in str(error):
            raise
        raise torch.cuda.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes. {error}") from error


def new_storage(size, pinned=False):
    """An untyped storage of `size` bytes that nobody wrote. torch sees memory of the CPU that cannot be resized."""
    if size == 0:
        return torch.UntypedStorage(0)
    block = Block(size, pinned)
    buffer = (ctypes.c_char * size).from_address(block.address)
    buffer.block = block  # the storage holds the buffer
    return torch.frombuffer(buffer, dtype=torch.uint8).untyped_storage()


def holds(storage):
    """Whether a storage is memory of the device that this module gave. Empty ones are everywhere."""
    return storage.nbytes() == 0 or storage.data_ptr() in device_blocks


def adopt(storage):
    """Memory of the device that others allocated (DLPack) and keep alive as long as the storage lives."""
    device_blocks.setdefault(storage.data_ptr(), 0)
