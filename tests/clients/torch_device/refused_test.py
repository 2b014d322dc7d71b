"""What the layer refuses, by name."""

import os
import re
import subprocess
import sys
import unittest

import torch
from fmha950.program import Error
from fmha950.torch_device import accepted

HERE = os.path.dirname(os.path.abspath(__file__))


def child(code, **variables):
    """What a Python of its own says: its exit code, and the last line on stderr."""
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **variables})
    return ran.returncode, (ran.stderr.strip().splitlines() or [""])[-1], ran.stdout


class Refused(unittest.TestCase):
    @unittest.skipUnless(hasattr(torch, "compile"), "torch has none")
    def test_torch_compile(self):
        @torch.compile
        def function(x):
            return x + 1

        @torch.compile(dynamic=True)
        def other(x):
            return x

        for call in (function, other, torch.compile(lambda x: x)):
            with self.assertRaisesRegex(RuntimeError, "fmha950: torch.compile is refused"):
                call(torch.ones(2, device="cuda"))
        with self.assertRaisesRegex(RuntimeError, "fmha950: torch.compile is refused"):
            torch.compile(torch.nn.Linear(2, 2))

    def test_distributed_extensions_graphs_autocast(self):
        import torch.distributed
        import torch.utils.cpp_extension as extension

        for name, call in (("torch.distributed.init_process_group", lambda: torch.distributed.init_process_group("gloo")),
                           ("torch.utils.cpp_extension.load", lambda: extension.load("x", ["x.cpp"])),
                           ("torch.utils.cpp_extension.load_inline", lambda: extension.load_inline("x", "")),
                           ("torch.cuda.CUDAGraph", torch.cuda.CUDAGraph), ("torch.cuda.graph", lambda: torch.cuda.graph(None)),
                           ("torch.cuda.HalfTensor", lambda: torch.cuda.HalfTensor([1.0])),
                           ("torch.cuda.graph_pool_handle", torch.cuda.graph_pool_handle), ("torch.autocast", lambda: torch.autocast("cuda")),
                           ("torch.autocast", lambda: torch.amp.autocast("cuda", torch.float16)), ("torch.autocast", torch.cuda.amp.autocast)):
            with self.assertRaisesRegex(RuntimeError, f"fmha950: {name}.* is refused", msg=name):
                call()
        torch.autocast("cuda", enabled=False)

    def test_autocast_that_is_switched_on(self):
        for call in (lambda: torch.set_autocast_enabled(True), lambda: torch.set_autocast_enabled("cuda", True)):
            with self.assertRaisesRegex(RuntimeError, "fmha950: torch.set_autocast_enabled for cuda is refused"):
                call()
        torch.set_autocast_enabled(False)
        self.assertFalse(torch.is_autocast_enabled())
        with torch.autocast("cpu", torch.bfloat16):  # the CPU's works
            self.assertEqual((torch.ones(2, 2) @ torch.ones(2, 2)).dtype, torch.bfloat16)

    def test_tensors_that_are_not_strided(self):
        x, sparse = torch.eye(2, device="cuda"), torch.eye(2).to_sparse()
        at, ones = torch.tensor([[0], [0]]), torch.ones(1)
        makes = [(x.to_sparse, "torch.sparse_coo"), (x.to_sparse_csr, "torch.sparse_csr"), (sparse.cuda, "torch.sparse_coo"), (lambda: sparse.to("cuda"), "torch.sparse_coo"),
                 (lambda: torch.sparse_coo_tensor(at, ones, (2, 2), device="cuda"), "torch.sparse_coo_tensor"),
                 (lambda: torch.sparse_coo_tensor(at.cuda(), ones.cuda(), (2, 2)), "torch.sparse_coo_tensor"),
                 (lambda: torch.sparse_csr_tensor(at[0].cuda(), at[0].cuda(), ones.cuda(), (1, 2)), "torch.sparse_csr_tensor"),
                 (lambda: torch.zeros(2, 2, layout=torch.sparse_coo, device="cuda"), "torch.zeros(layout=torch.sparse_coo)"),
                 (lambda: torch.empty_like(x, layout=torch.sparse_coo), "torch.empty_like(layout=torch.sparse_coo)"),
                 (lambda: torch.nested.nested_tensor([torch.ones(2)], device="cuda"), "torch.nested.nested_tensor"),
                 (lambda: torch.nested.nested_tensor([x[0], x[1]]), "torch.nested.nested_tensor"),
                 (lambda: torch.nested.nested_tensor([torch.ones(2)]).cuda(), "nested"),
                 (lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8), "torch.quantize_per_tensor"),
                 (lambda: torch.quantize_per_tensor(x.cpu(), 0.1, 0, torch.qint8).cuda(), "quantized")]
        for make, name in makes:
            with self.assertRaisesRegex(RuntimeError, f"^fmha950: .*{re.escape(name)} on cuda is not supported: strided tensors alone are", msg=name):
                make()
        self.assertEqual(sparse.to_dense().cuda().tolist(), [[1, 0], [0, 1]])  # the CPU's stay

    def test_tensors_without_memory(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            makes = [lambda: torch.ones(2, device="cuda"), lambda: torch.ones(2).cuda(), lambda: torch.ones(2).to("cuda")]
            if not torch.__version__.startswith("1."):  # 1.13 itself refuses them, by an assertion
                makes += [lambda: torch.empty(2, device="cuda"), lambda: torch.zeros(2, device="cuda")]
            for make in makes:
                with self.assertRaisesRegex(RuntimeError, "fmha950: FakeTensorMode is refused"):
                    make()

    def test_after_fork(self):
        code = ("import os, torch; x = torch.ones(2, device='cuda')\n"
                "if os.fork() == 0:\n"
                "    try: x + 1\n"
                "    except RuntimeError as error: print(error, flush=True)\n"
                "    os._exit(0)\n"
                "os.wait(); print((x + 1).sum().item())")
        _, _, said = child(code)
        self.assertIn("Cannot re-initialize CUDA in forked subprocess", said)
        self.assertTrue(said.endswith("4.0\n"))

    def test_spawn_works(self):
        code = ("import multiprocessing, sys; sys.path.insert(0, 'FOLDER'); import refused_test\n"
                "with multiprocessing.get_context('spawn').Pool(1) as pool: print(pool.map(refused_test.on_device, [3]))")
        self.assertEqual(child(code.replace("FOLDER", HERE))[2], "[6.0]\n")

    def test_a_variable_that_is_set_stays(self):
        code = "import os, torch; print(os.environ['TRITON_LIBHIP_PATH'], os.environ['ROCM_PATH'])"
        self.assertEqual(child(code, TRITON_LIBHIP_PATH="/mine.so", ROCM_PATH="/mine")[2], "/mine.so /mine\n")

    def test_other_versions(self):
        for version in ("2.5.1", "2.10.0+cu128", "1.12.0", "3.0"):
            with self.assertRaisesRegex(Error, f"torch {re.escape(version)}: fmha950's layer is for torch "):
                accepted.require_version(version)
        accepted.require_version(torch.__version__)

    def test_a_gpu_beside_it(self):
        with self.assertRaisesRegex(Error, "torch sees a GPU.*--embedded"):
            accepted.require_no_gpu(lambda: True, None)
        with self.assertRaisesRegex(Error, "ROCm build"):
            accepted.require_no_gpu(lambda: False, "6.4")
        accepted.require_no_gpu(lambda: False, None)
        os.environ["FMHA950_EMBEDDED"] = "1"
        try:
            accepted.require_no_gpu(lambda: True, None)
        finally:
            del os.environ["FMHA950_EMBEDDED"]

    def test_a_fault_is_told_by_the_next_operation(self):
        code = ("import torch, sys; sys.path.insert(0, 'FOLDER'); from launching import launch\n"
                "x = torch.ones(4, device='cuda'); launch('stray', 1, x)\n"
                "try: print(x.cpu())\n"
                "except RuntimeError as error: print(error)")
        self.assertIn("HIP error: hipErrorLaunchFailure", child(code.replace("FOLDER", HERE))[2])


def on_device(number):
    return (torch.full((2,), float(number), device="cuda")).sum().item()


if __name__ == "__main__":
    unittest.main()
