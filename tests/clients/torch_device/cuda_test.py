"""torch.cuda of the embedded device: properties, streams, events, memory, random numbers."""

import gc
import io
import threading
import unittest
import unittest.mock

import torch
from launching import launch


class Cuda(unittest.TestCase):
    def test_properties(self):
        self.assertTrue(torch.cuda.is_available())
        self.assertEqual((torch.cuda.device_count(), torch.cuda.current_device()), (1, 0))
        p = torch.cuda.get_device_properties("cuda")
        self.assertEqual(p.gcnArchName.split(":")[0], "gfx950")
        self.assertEqual((p.multi_processor_count, p.shared_memory_per_block, p.warp_size, p.total_memory), (256, 160 << 10, 64, 288 << 30))
        self.assertEqual(torch.cuda.get_device_capability(), (9, 5))
        self.assertIn("MI355X", torch.cuda.get_device_name(0))
        self.assertIsNotNone(torch.version.hip)
        with self.assertRaisesRegex(RuntimeError, "invalid device ordinal"):
            torch.cuda.set_device(1)

    def test_streams_and_events(self):
        stream = torch.cuda.Stream()
        x = torch.zeros(1, dtype=torch.int32, device="cuda")
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(stream):
            self.assertEqual(torch.cuda.current_stream(), stream)
            start.record()
            launch("count", 1, x, 20000)
            end.record()
        self.assertEqual(torch.cuda.current_stream(), torch.cuda.default_stream())
        end.synchronize()
        self.assertTrue(stream.query() and end.query())
        self.assertGreater(start.elapsed_time(end), 0)
        other = torch.cuda.Stream()
        other.wait_stream(stream)
        with other:
            launch("count", 1, x, 5)
        torch.cuda.current_stream().wait_event(other.record_event())
        self.assertEqual(x.item(), 20005)
        with self.assertRaisesRegex(ValueError, "enable_timing"):
            torch.cuda.Event().elapsed_time(end)

    def test_operators_wait_for_kernels_of_every_stream(self):
        x = torch.zeros(1, dtype=torch.int32, device="cuda")
        for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
            x.zero_()
            with torch.cuda.stream(stream):
                launch("count", 1, x, 30000)
            self.assertEqual((x + 1).item(), 30001)
            with torch.cuda.stream(stream):
                launch("count", 1, x, 30000)
            torch.save(x, file := io.BytesIO())
            file.seek(0)
            self.assertEqual(torch.load(file, map_location="cpu").item(), 60000)

    def test_the_current_stream_is_the_thread_s(self):
        stream, seen = torch.cuda.Stream(), []
        with torch.cuda.stream(stream):
            thread = threading.Thread(target=lambda: seen.append(torch.cuda.current_stream()))
            thread.start()
            thread.join()
        self.assertEqual(seen, [torch.cuda.default_stream()])

    def test_memory_statistics(self):
        gc.collect()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        x = torch.empty(1 << 20, device="cuda")
        self.assertEqual(torch.cuda.memory_allocated() - before, 4 << 20)
        view = x[5:]
        del x
        self.assertEqual(torch.cuda.memory_allocated() - before, 4 << 20)
        free = torch.cuda.mem_get_info()[0]
        del view
        self.assertEqual(torch.cuda.memory_allocated(), before)
        self.assertEqual(torch.cuda.mem_get_info()[0] - free, 4 << 20)
        self.assertGreaterEqual(torch.cuda.max_memory_allocated() - before, 4 << 20)
        self.assertEqual(torch.cuda.memory_stats()["allocated_bytes.all.current"], before)
        torch.cuda.empty_cache()
        with self.assertRaisesRegex(torch.cuda.OutOfMemoryError, "Tried to allocate"):
            torch.empty(300 << 30, dtype=torch.uint8, device="cuda")

    def test_generators(self):
        torch.manual_seed(5)
        cpu = torch.rand(3)
        first = torch.rand(3, device="cuda")
        torch.manual_seed(5)
        self.assertEqual(torch.rand(4, device="cuda")[:3].tolist(), first.tolist())
        self.assertEqual(torch.rand(3).tolist(), cpu.tolist())  # the device has a stream of its own
        state = torch.cuda.get_rng_state()
        drawn = torch.randn(3, device="cuda").tolist()
        torch.cuda.set_rng_state(state)
        self.assertEqual(torch.empty(3, device="cuda").normal_().tolist(), drawn)
        torch.cuda.manual_seed(7)
        drawn = torch.nn.functional.dropout(torch.ones(50, device="cuda"), 0.5).tolist()
        torch.cuda.manual_seed_all(7)
        self.assertEqual(torch.nn.functional.dropout(torch.ones(50, device="cuda"), 0.5).tolist(), drawn)
        generator = torch.Generator(device="cuda")
        self.assertEqual(generator.device.type, "cuda")
        self.assertIsInstance(generator, torch.Generator)
        drawn = torch.rand(2, device="cuda", generator=generator.manual_seed(3)).tolist()
        self.assertEqual(torch.rand(2, device="cuda", generator=generator.manual_seed(3)).tolist(), drawn)
        with self.assertRaisesRegex(RuntimeError, "Expected a 'cuda' device type for generator"):
            torch.rand(2, device="cuda", generator=torch.Generator())

    def draws(self, rnn):
        """Ways to draw on the device."""
        x, functional, query = torch.ones(40, device="cuda"), torch.nn.functional, torch.ones(1, 1, 4, 8, device="cuda")
        yield from (lambda: torch.rand(2, device="cuda"), lambda: torch.empty(3, device="cuda").normal_(), lambda: torch.randperm(50, device="cuda"),
                    lambda: functional.dropout(x, 0.5), lambda: x.multinomial(10), lambda: torch.rand_like(x), lambda: torch.randn_like(x),
                    lambda: torch.randint_like(x, 100), lambda: torch.randint_like(x, -1000, 1000), lambda: torch.randint_like(x, low=5, high=900),
                    lambda: torch.rand_like(torch.ones(40), device="cuda"), lambda: torch.native_dropout(x, 0.5, True)[0],
                    lambda: torch.rand(4, out=torch.empty(4, device="cuda")), lambda: torch.randint(0, 1000, (4,), out=x.new_empty(4).long()),
                    lambda: torch.ops.aten.rand_like(x), lambda: torch.normal(x, x), lambda: functional.rrelu(-x, training=True),
                    lambda: functional.alpha_dropout(x, 0.5, True), lambda: rnn(torch.ones(3, 5, 4, device="cuda"))[0],
                    lambda: torch.bernoulli(x / 2), lambda: torch.poisson(x * 9))
        if hasattr(functional, "scaled_dot_product_attention"):
            yield lambda: functional.scaled_dot_product_attention(query, query, query.cumsum(-2), dropout_p=0.5)

    def test_draws_of_the_device_are_of_its_generator_alone(self):
        rnn = torch.nn.LSTM(4, 4, num_layers=2, dropout=0.5).cuda()
        before = torch.default_generator.get_state()
        with unittest.mock.patch.object(torch, "default_generator", None):  # whoever swaps its state fails
            for number, draw in enumerate(self.draws(rnn)):
                for mode in (torch.enable_grad, torch.inference_mode):
                    with self.subTest(number=number, mode=mode), mode():
                        torch.cuda.manual_seed(6)
                        first, second = draw(), draw()
                        torch.cuda.manual_seed(6)
                        again = draw()
                        self.assertEqual(first.device.type, "cuda")
                        self.assertTrue(torch.equal(first, again))
                        self.assertFalse(torch.equal(first, second))
        self.assertTrue(torch.default_generator.get_state().equal(before))

    def test_draws_are_those_of_torch_s_cpu_with_the_same_seed(self):
        for draw in (torch.rand_like, torch.randn_like, lambda x: torch.randint_like(x, 7), lambda x: torch.native_dropout(x, 0.3, True)[0],
                     lambda x: torch.native_dropout(x, 1.0, True)[0], lambda x: torch.native_dropout(x, 0.3, False)[1]):
            x = torch.arange(50.0).reshape(5, 10)
            torch.manual_seed(8)
            expected = draw(x)
            torch.manual_seed(8)
            self.assertTrue(torch.equal(draw(x.cuda()).cpu(), expected))

    def test_like_takes_what_torch_s_takes(self):
        x = torch.ones(3, 4, device="cuda").t()
        self.assertEqual(torch.rand_like(x, dtype=torch.float64, requires_grad=True).dtype, torch.float64)
        self.assertTrue(torch.rand_like(x, requires_grad=True).requires_grad)
        self.assertEqual(torch.randn_like(x).stride(), x.stride())
        self.assertEqual(torch.rand_like(x, device="cpu").device.type, "cpu")

    def test_what_draws_from_no_generator_that_can_be_named_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "fmha950: aten::rand is refused.*takes no other"):
            torch.ops.aten.rand.out([2], out=torch.empty(2, device="cuda"))


if __name__ == "__main__":
    unittest.main()
