"""torch.cuda.Stream and Event: the device's own streams and events."""

import contextlib
import ctypes
import threading

from fmha950.torch_device.hip import hip
from fmha950.torch_device.tensor import DEVICE

_current = threading.local()


class Stream:
    """A stream that waits for no other, as torch's pool gives. The default one is the null stream."""

    def __init__(self, device=None, priority=0, *, handle=None, **_):
        self.device, self.device_index, self.priority = DEVICE, 0, priority
        self._owned = handle is None
        # hipStreamNonBlocking
        self.cuda_stream = handle if handle is not None else hip.value("hipStreamCreateWithPriority", ctypes.c_void_p, ctypes.c_uint(1), priority)
        self.cuda_stream = self.cuda_stream or 0

    stream_id = property(lambda self: self.cuda_stream)
    device_type = property(lambda self: 1)
    _as_parameter_ = property(lambda self: ctypes.c_void_p(self.cuda_stream))

    def __del__(self):
        if getattr(self, "_owned", False) and hip is not None and not hip.forked:
            hip.library.hipStreamDestroy(ctypes.c_void_p(self.cuda_stream))

    def synchronize(self):
        hip.call("hipStreamSynchronize", self._as_parameter_)

    def query(self):
        return _is_done(hip.library.hipStreamQuery(self._as_parameter_), "hipStreamQuery")

    def wait_event(self, event):
        event.wait(self)

    def wait_stream(self, stream):
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        self._before = getattr(self, "_before", [])
        self._before.append(current_stream())
        set_stream(self)
        return self

    def __exit__(self, *_):
        set_stream(self._before.pop())

    def __eq__(self, other):
        return isinstance(other, Stream) and other.cuda_stream == self.cuda_stream

    def __hash__(self):
        return hash(self.cuda_stream)

    def __repr__(self):
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """A stream that another library made."""

    def __init__(self, stream_ptr, device=None, **_):
        super().__init__(handle=stream_ptr)


NOT_READY = 600  # hipErrorNotReady


def _is_done(error, name):
    if error not in (0, NOT_READY):
        hip.call(name)  # not reached with a live handle
    return error == 0


class Event:
    """Times are of the emulation's wall clock and say nothing about a GPU."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, **_):
        if interprocess:
            raise RuntimeError("fmha950: torch.cuda.Event(interprocess=True): the device has no handles between processes")
        self.cuda_event = hip.value("hipEventCreateWithFlags", ctypes.c_void_p, ctypes.c_uint(0 if enable_timing else 2))  # hipEventDisableTiming
        self.device, self._recorded, self._timed = DEVICE, False, enable_timing

    _as_parameter_ = property(lambda self: ctypes.c_void_p(self.cuda_event))

    def __del__(self):
        if hasattr(self, "cuda_event") and hip is not None and not hip.forked:
            hip.library.hipEventDestroy(self._as_parameter_)

    def record(self, stream=None):
        hip.call("hipEventRecord", self, current_stream() if stream is None else stream)
        self._recorded = True

    def wait(self, stream=None):
        if self._recorded:
            hip.call("hipStreamWaitEvent", current_stream() if stream is None else stream, self, ctypes.c_uint(0))

    def query(self):
        return not self._recorded or _is_done(hip.library.hipEventQuery(self), "hipEventQuery")

    def synchronize(self):
        if self._recorded:
            hip.call("hipEventSynchronize", self)

    def elapsed_time(self, end_event):
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not (self._recorded and end_event._recorded):
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        milliseconds = ctypes.c_float()
        hip.call("hipEventElapsedTime", ctypes.byref(milliseconds), self, end_event)
        return milliseconds.value


default = Stream(handle=0)


def current_stream(device=None):
    return getattr(_current, "stream", default)


def default_stream(device=None):
    return default


def set_stream(stream):
    if stream is not None:
        _current.stream = stream


@contextlib.contextmanager
def stream(of):
    """torch.cuda.stream; None changes nothing."""
    if of is None:
        yield
    else:
        with of:
            yield
