"""Whether a client's result is right, and whether the device's checks are quiet about it."""
import numpy


def require(hip, name, result, right, limit):
    """Relative L2 error of at most `limit`, and no hazard since the last call."""
    error = numpy.linalg.norm(result.astype(float) - right) / numpy.linalg.norm(right)
    found = hip.take_hazards()
    print(f"{name}: relative L2 {error:.1e}")
    assert error <= limit, f"{name}: relative L2 {error} over {limit}"  # also of NaN
    assert not found, f"{name}: {found}"


def refused(hip, name, result, right, limit):
    try:
        require(hip, name, result, right, limit)
    except AssertionError:
        return
    raise RuntimeError(f"{name} is accepted")
