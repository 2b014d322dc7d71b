"""torch's "cuda" is the embedded gfx950 from the import of this module on (docs/python.md, "Scripts written for torch.cuda").

    import fmha950.torch_device     # or: fmha950 device python SCRIPT

A device tensor is to torch's C++ a tensor of the CPU whose storage is memory of the device (tensor.py); its operators are torch's for the
CPU (operators.py), kernels run on the device. There is one module for each part of torch's surface.
"""

import torch

from fmha950.torch_device import accepted

accepted.require_version(torch.__version__)
accepted.require_no_gpu(torch.cuda.is_available, torch.version.hip)

# What follows needs more of torch.
from fmha950.torch_device import after_import, cuda, factories, interchange, library, modules, operators, refused, rocm, scripted, storing, transfers, triton_bench  # noqa: E402

for part in (operators, transfers, modules, factories, cuda, storing, interchange, refused, library, scripted, rocm):
    part.install()
after_import.install(refused.after_import, triton_bench.after_import)
