"""Triton's vector add; and what the other clients are judged by says no to a wrong sum and to a race."""
import numpy
import triton
import triton.language as tl

import fmha950_triton
from fmha950_hip import Hip, Tensor
from judge import refused, require


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


@triton.jit
def race(out):
    """Each program stores another value to the same place."""
    tl.store(out, tl.program_id(0).to(tl.float32))


hip = Hip()
fmha950_triton.activate()
n = 3000
x, y = numpy.random.default_rng(1).standard_normal((2, n), numpy.float32)
out = Tensor(hip, numpy.zeros(n, numpy.float32), "fp32")
add[(triton.cdiv(n, 1024),)](Tensor(hip, x, "fp32"), Tensor(hip, y, "fp32"), out, n, BLOCK=1024)
require(hip, "add", out.read(), x + y, 0)

wrong = out.read()
wrong[n - 1] += 1
refused(hip, "a wrong sum", wrong, x + y, 1e-3)
wrong[n - 1] = numpy.nan
refused(hip, "no number", wrong, x + y, 1e-3)
race[(8,)](out)
refused(hip, "a race", out.read(), out.read(), 0)
