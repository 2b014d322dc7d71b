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

    # Each writes rows, columns or elements of a tensor of 4 x 6 floats by index, as torch's CPU does.
    BY_INDEX = (lambda e, at: e.scatter_(1, at([[0, 3], [5, 3]]), 1.0), lambda e, at: e.scatter_(0, at([[3, 0, 1]]), torch.ones_like(e)),
                lambda e, at: e.index_put_((at([1, -1]), at([2, 5])), torch.ones_like(e)[0, 0]), lambda e, at: e.index_copy_(1, at([4, 0]), torch.ones_like(e)[:, :2]),
                lambda e, at: e.index_fill_(-2, at([2]), 3.0), lambda e, at: e.masked_fill_((at([1, 0, 0, 1, 0, 0]) > 0), 2.0),
                lambda e, at: e.masked_scatter_((at([[1], [0], [0], [1]]) > 0), torch.ones_like(e)), lambda e, at: e.put_(at([7, -1, 0]), torch.ones_like(e)[0, :3]),
                lambda e, at: e.__setitem__(at([3, 1]), 5.0), lambda e, at: e.__setitem__((slice(None), at([2])), 5.0),
                lambda e, at: e.__setitem__((at([0, 1, 1, 0]) > 0), 5.0), lambda e, at: e.__setitem__((at([[0], [2]]), at([1, 4])), 5.0),
                lambda e, at: e.t().scatter_(0, at([[5, 1, 2, 0]]), 1.0), lambda e, at: e[1:, ::2].index_fill_(1, at([1]), 3.0),
                lambda e, at: e[0, 0].masked_fill_(at(0) > 1, 2.0), lambda e, at: e[1, 1].scatter_(0, at(0), 1.0))

    def test_by_index_those_elements_are_written_and_no_others(self):
        for number, write in enumerate(self.BY_INDEX):
            with self.subTest(number):
                on_cpu = torch.full((4, 6), float("nan"))
                write(on_cpu, torch.tensor)
                written = on_cpu.isfinite()
                e = torch.empty(4, 6, device="cuda")
                write(e, lambda index: torch.tensor(index, device="cuda"))
                self.quiet()  # what is there is not read
                for row in range(4):
                    for column in range(6):
                        e[row, column].item()
                        found = hip.take_hazards()
                        self.assertEqual(found == "", bool(written[row, column]), (row, column, found))

    def test_by_index_what_is_added_to_is_read(self):
        ones, zero = torch.ones(2, device="cuda"), torch.tensor([0, 3], device="cuda")
        adds = [lambda e: e.scatter_add_(0, zero, ones), lambda e: e.index_add_(0, zero, ones), lambda e: e.put_(zero, ones, accumulate=True),
                lambda e: e.index_put_((zero,), ones, accumulate=True), lambda e: e.scatter_(0, zero, ones, reduce="add")]
        if hasattr(torch.Tensor, "scatter_reduce_"):
            adds.append(lambda e: e.scatter_reduce_(0, zero, ones, "sum"))
            e = torch.empty(5, device="cuda")
            e.scatter_reduce_(0, zero, ones, "sum", include_self=False)
            self.quiet()
        for add in adds:
            e = torch.empty(5, device="cuda")
            e[0] = e[3] = 2
            add(e)
            self.quiet()
            self.assertEqual(e[zero].tolist(), [3, 3])
            e = torch.empty(5, device="cuda")
            e[0] = 2
            add(e)
            self.finds(4, 12, 20)

    def test_a_cache_that_is_filled_by_rows(self):
        cache, slots = torch.empty(64, 2, 16, device="cuda", dtype=torch.bfloat16), torch.tensor([5, 63, 17], device="cuda")
        cache[slots] = torch.ones(3, 2, 16, device="cuda", dtype=torch.bfloat16)
        self.assertEqual(cache[slots.cpu().tolist()[1]].sum().item(), 32)
        self.quiet()
        cache[62:].sum()
        self.finds(64, 62 * 64, 4096)

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
