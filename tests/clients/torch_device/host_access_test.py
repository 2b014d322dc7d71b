"""The device hears which bytes torch reads and writes: FMHA950_CHECK=uninitialised reports those that nobody wrote, and no others."""

import io
import unittest

import torch
from fmha950.torch_device.hip import hip
from launching import launch

NOBODY = "the host reads {} bytes at offset {} of an allocation of {} that neither the host nor a kernel wrote"


class HostAccess(unittest.TestCase):
    def setUp(self):
        hip.take_hazards()

    def quiet(self):
        self.assertEqual(hip.take_hazards(), "")

    def finds(self, *figures):
        self.assertIn(NOBODY.format(*figures), hip.take_hazards())

    def test_reads_of_what_nobody_wrote(self):
        for read in (lambda x: x.cpu(), lambda x: x + 1, lambda x: x.sum(), lambda x: x.add_(1), repr, lambda x: x.to(torch.float16),
                     lambda x: torch.equal(x, x)):
            read(torch.empty(100, device="cuda"))
            self.finds(400, 0, 400)

    def test_parts_that_are_written_are_quiet(self):
        x = torch.empty(10, 10, device="cuda")
        x[:, 2:5] = 1
        (x[:, 2:5] + 1).cpu()
        x[:, 3].sum().item()
        self.quiet()
        x[:, 1:5].sum()
        found = hip.take_hazards()
        self.assertIn(NOBODY.format(4, 4, 400) + ", as are parts of 9 more of the 10 pieces that it reads", found)
        self.assertEqual(found.count("the host reads"), 1)

    def test_writes(self):
        x = torch.randn(16, device="cuda")
        for write in (lambda e: e.zero_(), lambda e: e.fill_(2), lambda e: e.copy_(x), lambda e: e.normal_(), lambda e: torch.add(x, 1, out=e),
                      lambda e: e.copy_(torch.ones(16)), lambda e: e.t().copy_(x), lambda e: launch("scale", 16, x, e, 2.0, 16)):
            e = torch.empty(16, device="cuda")
            write(e)
            e.cpu()
            self.quiet()

    def test_what_reads_nothing_is_quiet(self):
        x = torch.empty(4, 4, device="cuda")
        for ask in (lambda: x.t(), lambda: x[1:], lambda: x.view(-1), x.detach, lambda: x.expand(2, 4, 4), lambda: x.shape, lambda: x.split(2),
                    lambda: torch.zeros_like(x), lambda: torch.empty_like(x), lambda: torch.rand_like(x), lambda: torch.full_like(x, 3),
                    lambda: x.new_ones(2), x.is_contiguous, lambda: x.data, x.untyped_storage, x.requires_grad_):
            ask()
        self.quiet()

    def test_copies_take_along_what_is_unwritten(self):
        x = torch.empty(100, device="cuda")
        x[:50] = 1
        y = x.clone()
        y[:50].cpu()
        self.quiet()
        y.cpu()
        self.finds(200, 200, 400)

    def test_saving_reads_and_lending_does_not(self):
        torch.from_dlpack(torch.empty(100, device="cuda"))
        self.quiet()
        torch.save(torch.empty(100, device="cuda"), io.BytesIO())
        self.finds(400, 0, 400)

    def test_a_kernel_that_leaves_something_out(self):
        x, out = torch.ones(100, device="cuda"), torch.empty(100, device="cuda")
        launch("scale", 100, x, out, 2.0, 90)
        self.assertEqual(out[:90].sum().item(), 180)
        self.quiet()
        out.sum().item()
        self.finds(40, 360, 400)


if __name__ == "__main__":
    unittest.main()
