"""Lets Triton's JIT run without PyTorch: Triton's own HIP driver, less the questions that it asks PyTorch. `fmha950 python`
has it on the path; tensors are fmha950_hip.Tensor or anything with dtype and data_ptr()."""
import triton
from triton.backends.amd.driver import HIPDriver, HIPLauncher, HIPUtils
from triton.backends.driver import DriverBase


class Driver(HIPDriver):

    def __init__(self):
        DriverBase.__init__(self)
        self.utils, self.launcher_cls = HIPUtils(), HIPLauncher
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device: 0
        self.get_device_capability = lambda device=0: (9, 5)


def activate():
    triton.runtime.driver.set_active(Driver())
