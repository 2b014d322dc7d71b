"""Versions of torch that the layer torch_device is for: it uses functions that torch does not promise to keep."""

# Minor versions, from and to. The tests have passed with 1.13.1 of Debian and with 2.6.0, 2.8.0 and 2.9.1 of PyPI.
KNOWN = (((1, 13), (1, 13)), ((2, 6), (2, 9)))
SPAN = "1.13 or 2.6 to 2.9"


def is_known(text):
    """Of a version as torch tells it: 2.9.1+cu128."""
    version = tuple(int(part) for part in text.partition("+")[0].split(".")[:2])
    return any(first <= version <= last for first, last in KNOWN)
