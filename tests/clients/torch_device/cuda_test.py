"""torch.cuda of the embedded device: properties, streams, events, memory, random numbers."""

import gc
import io
import threading
import unittest
import unittest.mock

import torch
from fmha950.torch_device import generators
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

    def test_draws_of_the_device_leave_the_cpu_s_generator_alone(self):
        torch.manual_seed(4)
        expected, on_device = [torch.rand(3).tolist() for _ in range(5)], torch.empty(3, device="cuda")
        torch.manual_seed(4)
        drawn = []
        draws = (lambda: torch.rand(2, device="cuda"), lambda: on_device.normal_(), lambda: torch.randperm(5, device="cuda"),
                 lambda: torch.nn.functional.dropout(on_device, 0.5), lambda: on_device.abs().multinomial(1))
        with unittest.mock.patch.object(generators, "_lock", None):  # which is held while the CPU's generator is another's
            for draw in draws:
                draw()
                drawn.append(torch.rand(3).tolist())
        self.assertEqual(drawn, expected)
        torch.manual_seed(4)
        torch.rand_like(on_device)
        self.assertEqual(torch.rand(3).tolist(), expected[0])


if __name__ == "__main__":
    unittest.main()
