"""The bytes that a strided tensor's elements occupy, as few ranges."""

import itertools


def ranges(address, sizes, strides, element):
    """(address, bytes) of each range, in bytes; sizes and strides in elements of `element` bytes. None for no elements."""
    if 0 in sizes:
        return
    length, apart = element, []
    for stride, size in sorted((stride * element, size) for size, stride in zip(sizes, strides) if size > 1 and stride != 0):
        if stride <= length and not apart:
            length += (size - 1) * stride  # the next begins within or just behind this one
        else:
            apart.append(range(0, size * stride, stride))
    for offsets in itertools.product(*reversed(apart)):
        yield address + sum(offsets), length
