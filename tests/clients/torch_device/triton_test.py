"""Kernels of Triton on tensors of torch.cuda, through Triton's own driver: right beside torch, and without a hazard of severity error
(FMHA950_CHECK=errors)."""

import math
import os
import subprocess
import sys
import tempfile
import unittest

import kernels
import torch
import triton
from fmha950.torch_device.hip import hip

ROUNDED = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, torch.float32: 1e-6}  # of results of this type


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        out, mean, rstd = torch.empty_like(x), torch.empty(len(x), device=x.device), torch.empty(len(x), device=x.device)
        block = triton.next_power_of_2(x.shape[1])
        kernels.layer_norm[(len(x),)](x, weight, bias, out, mean, rstd, x.shape[1], eps, BLOCK=block)
        ctx.save_for_backward(x, weight, mean, rstd)
        return out

    @staticmethod
    def backward(ctx, gradient):
        x, weight, mean, rstd = ctx.saved_tensors
        x_gradient, weight_gradient, bias_gradient = torch.empty_like(x), torch.zeros_like(weight), torch.zeros_like(weight)
        block = triton.next_power_of_2(x.shape[1])
        kernels.layer_norm_backward[(len(x),)](gradient, x, weight, mean, rstd, x_gradient, weight_gradient, bias_gradient, x.shape[1], BLOCK=block)
        return x_gradient, weight_gradient, bias_gradient, None


def matmul(a, b, dtype):
    c = torch.empty(a.shape[0], b.shape[1], dtype=dtype, device=a.device)
    grid = lambda meta: (triton.cdiv(a.shape[0], meta["BM"]) * triton.cdiv(b.shape[1], meta["BN"]),)
    kernels.matmul[grid](a, b, c, a.shape[0], b.shape[1], a.shape[1], *a.stride(), *b.stride(), *c.stride())
    return c


class Kernels(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        hip.take_hazards()

    def tearDown(self):
        self.assertEqual(hip.take_hazards(), "")

    def close(self, actual, expected, limit=None):
        limit = ROUNDED[actual.dtype] if limit is None else limit
        actual, expected = actual.detach().cpu().double(), expected.detach().cpu().double()
        error = ((actual - expected).norm() / expected.norm()).item()
        print(f"{self.id()}: relative L2 {error:.1e}")
        self.assertLessEqual(error, limit)

    def test_the_driver_is_triton_s_own_for_amd(self):
        target = triton.runtime.driver.active.get_current_target()
        self.assertEqual((target.backend, target.arch.split(":")[0], target.warp_size), ("hip", "gfx950", 64))
        self.assertEqual(type(triton.runtime.driver.active.utils).__module__, "triton.backends.amd.driver")

    def test_vector_add(self):
        x, y = torch.rand(9876, device="cuda"), torch.rand(9876, device="cuda")
        out = torch.empty_like(x)
        kernels.add[lambda meta: (triton.cdiv(9876, meta["BLOCK"]),)](x, y, out, 9876, BLOCK=1024)
        self.assertTrue(torch.equal(out, x + y))

    def test_softmax(self):
        for dtype in (torch.float32, torch.float16):
            x = torch.randn(37, 781, device="cuda").to(dtype)
            out = torch.empty_like(x)
            kernels.softmax[(8,)](x, out, x.stride(0), out.stride(0), *x.shape, BLOCK=1024)
            self.close(out, x.double().softmax(1))

    def test_matmul(self):
        a, b = torch.randn(100, 136, device="cuda"), torch.randn(136, 90, device="cuda")
        for dtype, result in ((torch.float16, torch.float16), (torch.bfloat16, torch.float32), (torch.float8_e4m3fn, torch.float32)):
            a_small, b_small = a.to(dtype), b.to(dtype)
            self.close(matmul(a_small, b_small, result), a_small.double() @ b_small.double())
        b_transposed = b.T.contiguous().half().T
        self.close(matmul(a.half(), b_transposed, torch.float16), a.half().double() @ b.half().double())

    def test_autotune_takes_the_first_configuration(self):
        a = torch.randn(64, 64, device="cuda", dtype=torch.float16)
        matmul(a, a, torch.float16)
        self.assertEqual(kernels.matmul.best_config.kwargs["BM"], 64)
        self.assertTrue(all(math.isnan(t) for times in kernels.matmul.configs_timings.values() for t in times))

    def test_layer_norm_forward_and_backward(self):
        x, weight, bias = torch.randn(12, 300), torch.rand(300), torch.rand(300)
        gradient, results = torch.randn(12, 300), []
        for device in ("cpu", "cuda"):
            leaves = [t.to(device, copy=True).requires_grad_() for t in (x, weight, bias)]
            if device == "cuda":
                y = LayerNorm.apply(*leaves, 1e-5)
            else:
                x64, weight64, bias64 = (leaf.double() for leaf in leaves)
                y = torch.nn.functional.layer_norm(x64, (300,), weight64, bias64, 1e-5)
            y.backward(gradient.to(y))
            results.append([y, *(leaf.grad for leaf in leaves)])
        for expected, actual in zip(*results):
            self.close(actual, expected, 2e-6)  # sums of float32, in another order

    def test_dropout(self):
        x, out, again = torch.rand(5000, device="cuda") + 1, torch.empty(5000, device="cuda"), torch.empty(5000, device="cuda")
        for result, seed in ((out, 123), (again, 123)):
            kernels.dropout[(5,)](x, result, 5000, 0.25, seed, BLOCK=1024)
        self.assertTrue(torch.equal(out, again))
        kept = out != 0
        self.close(out[kept], x[kept] / 0.75)
        self.assertLess(abs(kept.double().mean().item() - 0.75), 0.03)  # 5 sigma

    def test_attention(self):
        q, k, v = (torch.randn(3, 128, 64, device="cuda", dtype=torch.float16) for _ in range(3))
        out = torch.empty_like(q)
        kernels.attention[(2, 3)](q, k, v, out, 128, 128, 0.125, BM=64, BN=64, D=64)
        expected = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True)
        self.close(out, expected, 2.0**-10)  # P is rounded to float16, too

    def test_a_race_is_found(self):
        out = torch.zeros(1, device="cuda")
        kernels.race[(8,)](out)
        self.assertIn("race", hip.take_hazards())

    def test_a_tensor_of_the_cpu_is_refused(self):
        with self.assertRaisesRegex(ValueError, "cannot be accessed from Triton"):
            kernels.race[(1,)](torch.zeros(1))

    def test_do_bench_makes_one_call(self):
        calls = []
        with self.assertWarns(UserWarning):
            time = triton.testing.do_bench(lambda: calls.append(1))
        self.assertEqual((len(calls), math.isnan(time)), (1, True))

    def test_perf_answers_with_modelled_times(self):
        code = ("import kernels, torch, triton\n"
                "x = torch.rand(9, 1000, device='cuda'); out = torch.empty_like(x)\n"
                "bench = lambda rows: triton.testing.do_bench(lambda: kernels.softmax[(1,)](x, out, 1000, 1000, rows, 1000, BLOCK=1024))\n"
                "print(bench(9), bench(1))\n"
                "a = torch.rand(128, 128, device='cuda'); c = torch.empty_like(a); s = a.stride()\n"
                "kernels.matmul[lambda meta: (triton.cdiv(128, meta['BM']) ** 2,)](a, a, c, 128, 128, 128, *s, *s, *s)\n"
                "print(*(times[0] for times in kernels.matmul.configs_timings.values()))")
        here = os.path.dirname(os.path.abspath(__file__))
        for variable in ("FMHA950_TIMING", "FMHA950_TIMING_REPORT"):
            with tempfile.TemporaryDirectory() as folder:
                value = "samples" if variable == "FMHA950_TIMING" else f"{folder}/%p.jsonl"
                ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=here,
                                     env={**os.environ, variable: value})
            (large, small), tuned = (list(map(float, line.split())) for line in ran.stdout.splitlines())
            self.assertGreater(large, small)  # NaN is not
            self.assertTrue(len(tuned) == 2 and all(0 < time < 1 for time in tuned), tuned)

    def test_a_relative_report_and_a_program_that_goes_elsewhere(self):
        code = ("import os, sys, torch, triton; sys.path.insert(0, {!r}); os.chdir('/')\n"
                "import kernels\n"
                "x = torch.rand(9, 1000, device='cuda'); out = torch.empty_like(x)\n"
                "print(triton.testing.do_bench(lambda: kernels.softmax[(1,)](x, out, 1000, 1000, 9, 1000, BLOCK=1024)))")
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([sys.executable, "-c", code.format(os.path.dirname(os.path.abspath(__file__)))], capture_output=True, text=True,
                                 check=False, cwd=folder, env={**os.environ, "FMHA950_TIMING_REPORT": "%p.jsonl"})
            self.assertEqual(len(os.listdir(folder)), 1)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertGreater(float(ran.stdout), 0)


if __name__ == "__main__":
    unittest.main()
