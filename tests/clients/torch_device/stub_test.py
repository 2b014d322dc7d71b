"""The layer on a torch of our own (stub/), where there is no other: what it puts in torch's place, what it tells the device and when it waits.

    PYTHONPATH=stub FMHA950_CHECK=uninitialised CLIENT_MODULE=kernels.co fmha950 device python stub_test.py

Of torch itself it shows nothing: its operators, autograd and dispatcher are not in it (tensors_test.py and others, where there is one).
"""

import ctypes
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import torch
from fmha950.torch_device.hip import hip
from launching import launch

LAUNCHER = pathlib.Path(__file__).resolve().parents[3] / "fmha950"
PATIENCE = 60  # seconds that a blocked stream waits at most: a test that should end it has failed by then


def child(code, *options, **variables):
    """A program of its own, by the launcher."""
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    return subprocess.run([LAUNCHER, "--no-install", "device", "python", *options, "-W", "ignore", "-c", code], capture_output=True, text=True,
                          check=False, env={**os.environ, "PATH": path, **variables})


class Blocked:
    """A stream that waits for no other and does nothing before release()."""

    def __init__(self):
        self.go, self.reached = threading.Event(), False
        self.stream = torch.cuda.Stream()

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def wait(_):
            self.reached = self.go.wait(PATIENCE)

        self.function = wait
        hip.call("hipLaunchHostFunc", self.stream, wait, None)

    def __enter__(self):
        return self

    def release(self, after=0.0):
        threading.Timer(after, self.go.set).start()

    def __exit__(self, *_):
        self.go.set()
        self.stream.synchronize()


class Layer(unittest.TestCase):
    def setUp(self):
        hip.take_hazards()

    def quiet(self):
        self.assertEqual(hip.take_hazards(), "")

    def finds(self, *figures):
        self.assertIn("the host reads {} bytes at offset {} of an allocation of {} that neither".format(*figures), hip.take_hazards())

    def test_it_is_the_stub_that_the_layer_has_taken_hold_of(self):
        self.assertIn(os.path.join("torch_device", "stub"), torch.__file__)
        self.assertIn("fmha950.torch_device", sys.modules)
        self.assertTrue(torch.cuda.is_available())
        self.assertEqual((torch.version.hip, torch.version.cuda), ("6.4.0", None))

    def test_versions(self):
        for version in ("2.5.1", "2.10.0", "1.12.1"):
            ran = child("import torch", TORCH_STUB_VERSION=version)
            self.assertEqual((ran.returncode, f"torch {version}: fmha950's layer is for torch " in ran.stderr), (1, True), ran.stderr)
        for version in ("1.13.1", "2.6.0", "2.9.1+cu128"):
            ran = child("import torch; print(torch.ones(2, device='cuda').sum().item())", TORCH_STUB_VERSION=version)
            self.assertEqual(ran.stdout, "2.0\n", ran.stderr)

    def test_properties(self):
        p = torch.cuda.get_device_properties(0)
        self.assertEqual(p.gcnArchName.split(":")[0], "gfx950")
        self.assertEqual((p.multi_processor_count, p.shared_memory_per_block, p.warp_size), (256, 160 << 10, 64))
        self.assertEqual((torch.cuda.device_count(), torch.cuda.current_device()), (1, 0))

    def test_factories(self):
        for make, expected in ((lambda: torch.zeros(2, 2, device="cuda"), [[0, 0], [0, 0]]), (lambda: torch.ones(2, device=torch.device("cuda")), [1, 1]),
                               (lambda: torch.full((2,), 3.0, device="cuda:0"), [3, 3]), (lambda: torch.arange(3, device=0), [0, 1, 2]),
                               (lambda: torch.tensor([4, 5], device="cuda"), [4, 5]), (lambda: torch.tensor([4, 5]).cuda(), [4, 5]),
                               (lambda: torch.zeros_like(torch.ones(2, device="cuda")), [0, 0]), (lambda: torch.ones(2, device="cuda").new_full((1,), 6.0), [6]),
                               (lambda: torch.tensor([1.0, 2.0]).to("cuda", torch.float64), [1, 2])):
            made = make()
            self.assertEqual((made.device, made.is_cuda, made.tolist()), (torch.device("cuda", 0), True, expected))
            begin, size = ctypes.c_void_p(), ctypes.c_size_t()
            hip.call("hipMemGetAddressRange", ctypes.byref(begin), ctypes.byref(size), ctypes.c_void_p(made.data_ptr()))
            self.assertEqual(begin.value, made.untyped_storage().data_ptr())
        self.assertEqual(torch.ones(2).device, torch.device("cpu"))
        with self.assertRaisesRegex(RuntimeError, "invalid device ordinal"):
            torch.ones(2, device="cuda:1")
        with self.assertRaisesRegex(RuntimeError, "all tensors to be on the same device"):
            torch.ones(2, device="cuda") + torch.ones(2)

    def test_memory(self):
        before = torch.cuda.memory_allocated()
        x = torch.ones(1000, device="cuda")
        self.assertEqual(torch.cuda.memory_allocated() - before, 4000)
        view = x.t()
        del x
        self.assertEqual(torch.cuda.memory_allocated() - before, 4000)
        del view
        self.assertEqual(torch.cuda.memory_allocated(), before)

    def test_operators_wait_for_the_streams_before_they_read(self):
        for read in (lambda out: out.cpu(), lambda out: out + 0, lambda out: out.add_(torch.zeros(64, device="cuda"))):
            x, out = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda")
            with Blocked() as blocked, torch.cuda.stream(blocked.stream):
                launch("scale", 64, x, out, 2.0, 64)
                self.assertFalse(blocked.stream.query())
                blocked.release(after=0.2)
                self.assertEqual(read(out).tolist(), [2.0] * 64)

    def test_operators_wait_before_they_write(self):
        x = torch.zeros(64, device="cuda")
        out = torch.zeros(64, device="cuda")
        with Blocked() as blocked, torch.cuda.stream(blocked.stream):
            launch("scale", 64, x, out, 2.0, 64)
            blocked.release(after=0.2)
            x.fill_(7)  # after the kernel has read it
            self.assertEqual(out.tolist(), [0.0] * 64)

    def test_views_and_shapes_wait_for_nobody(self):
        x = torch.ones(4, 4, device="cuda")
        with Blocked() as blocked:
            for look in (lambda: x.shape, x.t, lambda: x[1], lambda: x.view(16), x.stride, x.data_ptr, lambda: x.expand(4, 4), x.untyped_storage):
                look()
            self.assertFalse(blocked.go.is_set() or blocked.reached or blocked.stream.query())

    def test_what_nobody_wrote(self):
        for read in (lambda x: x.cpu(), lambda x: x + 1, lambda x: x.sum(), lambda x: x.add_(x)):
            read(torch.empty(100, device="cuda"))
            self.finds(400, 0, 400)
        torch.zeros(100, device="cuda").cpu()
        x = torch.empty(10, 10, device="cuda")
        x[3].fill_(1)
        x[3].cpu()
        self.quiet()
        x[4].cpu()
        self.finds(40, 160, 400)

    def test_ranges_of_strided_views(self):
        x = torch.empty(4, 6, device="cuda")
        x.t()[2].fill_(1)  # a column
        x.t()[2].sum()
        self.quiet()
        x.t()[3].sum()
        found = hip.take_hazards()
        self.assertIn("the host reads 4 bytes at offset 12 of an allocation of 96", found)
        self.assertIn("as are parts of 3 more of the 4 pieces that it reads", found)

    def test_what_kernels_wrote(self):
        x, out = torch.ones(100, device="cuda"), torch.empty(100, device="cuda")
        launch("scale", 100, x, out, 2.0, 90)
        out.cpu()
        self.finds(40, 360, 400)

    def test_by_index(self):
        x = torch.empty(4, 6, device="cuda")
        x.index_fill_(1, torch.tensor([4, 0], device="cuda"), 2.0)
        x.t()[0].cpu(), x.t()[4].cpu()
        self.quiet()
        x[2].cpu()
        self.finds(12, 52, 96)
        y = torch.empty(6, device="cuda")
        y.masked_fill_(torch.tensor([False, False, True, True, False, False], device="cuda"), 2.0)
        self.assertEqual((y[2].item(), y[3].item()), (2, 2))
        self.quiet()
        y.cpu()
        self.finds(8, 0, 24)

    def test_copies_take_along_what_is_unwritten(self):
        x = torch.empty(10, 10, device="cuda")
        x[0].fill_(1)
        y = x.clone()
        y[0].cpu()
        self.quiet()
        y.cpu()
        self.finds(360, 40, 400)

    def test_streams_and_events(self):
        first = torch.cuda.Stream()
        self.assertEqual(torch.cuda.current_stream(), torch.cuda.default_stream())
        x, out = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda")
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with Blocked() as blocked:
            with torch.cuda.stream(blocked.stream):
                self.assertEqual(torch.cuda.current_stream(), blocked.stream)
                begin.record()
                launch("scale", 64, x, out, 2.0, 64)
                end.record()
            self.assertEqual(torch.cuda.current_stream(), torch.cuda.default_stream())
            self.assertFalse(end.query())
            first.wait_event(end)
            with torch.cuda.stream(first):
                launch("scale", 64, out, out, 3.0, 64)
            blocked.release()
            first.synchronize()
            self.assertTrue(end.query())
        self.assertEqual(out.tolist(), [6.0] * 64)
        self.assertGreaterEqual(begin.elapsed_time(end), 0)

    def test_random_numbers(self):
        torch.manual_seed(5)
        first, of_cpu = torch.rand(3, device="cuda").tolist(), torch.rand(3).tolist()
        torch.manual_seed(5)
        self.assertEqual(torch.rand(3).tolist(), of_cpu)  # whatever the device draws
        self.assertEqual(torch.rand_like(torch.ones(3, device="cuda")).tolist(), first)
        generator = torch.Generator("cuda").manual_seed(5)
        self.assertEqual(torch.empty(3, device="cuda").uniform_(generator=generator).tolist(), first)
        with self.assertRaisesRegex(RuntimeError, "Expected a 'cuda' device type for generator"):
            torch.rand(2, device="cuda", generator=torch.Generator())

    def test_modules_move(self):
        module = torch.nn.Module()
        module._parameters["weight"] = torch.ones(2)
        self.assertTrue(module.cuda()._parameters["weight"].is_cuda)

    def test_kernels_that_a_program_registers(self):
        torch.library.Library("aten", "IMPL").impl("any", lambda x: torch.full((1,), 9.0, device=x.device), "CUDA")
        self.assertEqual(torch.ones(2, device="cuda").any().tolist(), [9])
        torch.library.Library("aten", "IMPL").impl("any", lambda x: x, "CPU")
        self.assertEqual(torch.ones(2).any().tolist(), True)

    def test_refused(self):
        import torch.distributed

        for name, call in (("torch.compile", lambda: torch.compile(len)([])), ("torch.autocast", lambda: torch.autocast("cuda")),
                           ("torch.distributed.init_process_group", torch.distributed.init_process_group), ("torch.cuda.CUDAGraph", torch.cuda.CUDAGraph),
                           ("torch.cuda.FloatTensor", lambda: torch.cuda.FloatTensor(2)),
                           ("torch.jit.load", lambda: torch.jit.load("x.pt", map_location="cuda"))):
            with self.assertRaisesRegex(RuntimeError, f"fmha950: {name}.*is refused"):
                call()
        for make in (lambda: torch.sparse_coo_tensor([[0]], [1.0], device="cuda"), lambda: torch.nested.nested_tensor([torch.ones(1, device="cuda")])):
            with self.assertRaisesRegex(RuntimeError, "on cuda is not supported"):
                make()

    def test_after_fork(self):
        ran = child("import os, torch\nx = torch.ones(2, device='cuda')\n"
                    "if os.fork() == 0:\n"
                    "    try: x + 1\n"
                    "    except RuntimeError as error: print(error, flush=True)\n"
                    "    os._exit(0)\n"
                    "os.wait(); print((x + 1).sum().item())")
        self.assertIn("Cannot re-initialize CUDA in forked subprocess", ran.stdout, ran.stderr)
        self.assertTrue(ran.stdout.endswith("4.0\n"), ran.stdout)


# Configurations of three launches and of one, and a benchmark of the first.
BENCHMARK = """
import sys; sys.path.insert(0, 'FOLDER')
import torch, triton.testing
from triton.runtime.autotuner import Autotuner
from launching import launch
x, out, calls = torch.ones(64, device='cuda'), torch.empty(64, device='cuda'), []
def scale(times):
    calls.append(times)
    for _ in range(times):
        launch('scale', 64, x, out, 2.0, 64)
ms = triton.testing.do_bench(lambda: scale(3))
benched = len(calls)
tuner = Autotuner(lambda config: scale(config), [3, 1])
tuner.run()
print(repr(ms), benched, tuner.best_config, len(calls))
""".replace("FOLDER", str(pathlib.Path(__file__).resolve().parent))


class Benchmarks(unittest.TestCase):
    def test_without_perf_one_call_and_the_first_configuration(self):
        from triton import testing

        calls = []
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.assertTrue(math.isnan(testing.do_bench(lambda: calls.append(1))))
        self.assertEqual(len(calls), 1)
        self.assertIn("device python --perf gives modelled milliseconds", str(said[0].message))
        ran = child(BENCHMARK)
        self.assertEqual(ran.stdout.split(), ["nan", "1", "3", "2"], ran.stderr)

    def test_perf_answers_with_modelled_milliseconds(self):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "timings.jsonl")
            pathlib.Path(report).write_text("what an earlier run left\n" * 100, encoding="utf-8")
            ran = child(BENCHMARK, "--perf", FMHA950_TIMING_REPORT=report)
            ms, benched, best, calls = ran.stdout.split()
            lines = [json.loads(line) for line in pathlib.Path(report).read_text(encoding="utf-8").splitlines()]
        self.assertEqual((benched, best, calls), ("1", "1", "4"), ran.stderr)  # both configurations, and the one that was taken
        self.assertEqual(len(lines), 3 + 3 + 1 + 1)
        self.assertEqual(float(ms), sum(line["gpu_clocks"] for line in lines[:3]) / torch.cuda.get_device_properties().clock_rate)

    def test_perf_closes_with_a_table(self):
        ran = child(BENCHMARK, "--perf")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("modelled: 8 launches", ran.stdout)
        self.assertIn("scale, 1x1x1 of 64x1x1", ran.stdout)


if __name__ == "__main__":
    unittest.main()
