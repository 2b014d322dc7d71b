"""Operators that a program registers itself (torch.library): which kernel device tensors come to."""

import unittest

import torch
from launching import launch

library = torch.library.Library("fmha950_test", "DEF")
for schema in ("twice(Tensor x) -> Tensor", "thrice(Tensor x) -> Tensor", "host_only(Tensor x) -> Tensor", "add_to_(Tensor(a!) x, float y) -> ()"):
    library.define(schema)


def twice(x):
    """By a kernel of the device, beside factories and an operator of torch."""
    assert x.is_cuda
    out = torch.empty_like(x)
    launch("scale", x.numel(), x, out, 2.0, x.numel())
    return out + torch.zeros(x.shape, device=x.device)


def add_to(x, y):
    x.add_(y)


library.impl("twice", twice, "CUDA")
library.impl("twice", lambda x: x * 200, "CPU")
library.impl("thrice", lambda x: x * torch.full((1,), 3.0, device=x.device), "CompositeExplicitAutograd")
library.impl("host_only", lambda x: x * 1, "CPU")
library.impl("add_to_", add_to, "CUDA")
ours = torch.ops.fmha950_test


class Library(unittest.TestCase):
    def test_the_kernel_for_cuda_is_called(self):
        x = torch.arange(4.0, device="cuda")
        self.assertEqual(ours.twice(x).tolist(), [0, 2, 4, 6])
        self.assertEqual(ours.twice(x).device.type, "cuda")
        self.assertEqual(ours.twice(torch.ones(2)).tolist(), [200, 200])

    def test_the_kernel_for_every_backend(self):
        self.assertEqual(ours.thrice(torch.ones(2, device="cuda")).tolist(), [3, 3])
        self.assertEqual(ours.thrice(torch.ones(2)).device.type, "cpu")

    def test_writes_in_place(self):
        x = torch.ones(3, device="cuda")
        ours.add_to_(x, 2.0)
        self.assertEqual(x.tolist(), [3, 3, 3])

    def test_a_kernel_for_the_cpu_alone_is_refused(self):
        self.assertEqual(ours.host_only(torch.ones(1)).tolist(), [1])
        with self.assertRaisesRegex(NotImplementedError, "Could not run 'fmha950_test::host_only' with arguments from the 'CUDA' backend .fmha950"):
            ours.host_only(torch.ones(1, device="cuda"))

    def test_operators_of_torch_may_be_a_program_s(self):
        own = torch.library.Library("aten", "IMPL")
        own.impl("digamma", lambda x: torch.full_like(x, 7.0), "CUDA")
        self.assertEqual(torch.digamma(torch.ones(2, device="cuda")).tolist(), [7, 7])
        self.assertNotEqual(torch.digamma(torch.ones(1)).item(), 7)
        if hasattr(own, "_destroy"):
            own._destroy()
            self.assertNotEqual(torch.digamma(torch.ones(1, device="cuda")).item(), 7)

    @unittest.skipUnless(hasattr(torch.library, "custom_op"), "torch has none")
    def test_custom_op(self):
        @torch.library.custom_op("fmha950_test::halve", mutates_args=(), device_types="cuda")
        def halve(x: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(x)
            launch("scale", x.numel(), x, out, 0.5, x.numel())
            return out

        halve.register_autograd(lambda context, gradient: gradient * 0.5)
        x = torch.ones(3, device="cuda", requires_grad=True)
        halve(x).sum().backward()
        self.assertEqual((halve(x).tolist(), x.grad.tolist()), ([0.5] * 3, [0.5] * 3))
        self.assertEqual(x.grad.device.type, "cuda")
        with self.assertRaisesRegex(NotImplementedError, "halve"):
            halve(torch.ones(3))  # torch's own refusal: there is none for the CPU

        @torch.library.custom_op("fmha950_test::fill", mutates_args=("x",))
        def fill(x: torch.Tensor, y: float) -> None:
            x.copy_(torch.full(x.shape, y, device=x.device))

        fill(z := torch.empty(2, device="cuda"), 4.0)
        self.assertEqual(z.tolist(), [4, 4])


if __name__ == "__main__":
    unittest.main()
