"""Gradients of tensors on the embedded device; also through kernels."""

import unittest

import torch
from launching import launch


class Scale(torch.autograd.Function):
    @staticmethod
    def scaled(x, factor):
        out = torch.empty_like(x)
        launch("scale", x.numel(), x, out, factor, x.numel())
        return out

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return Scale.scaled(x.contiguous(), factor)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        assert x.is_cuda and gradient.is_cuda
        return Scale.scaled(gradient.contiguous(), ctx.factor), None


class Autograd(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(2)

    def same_gradient(self, function, *shape):
        x = torch.randn(*(shape or (4, 6)), dtype=torch.float64)
        gradients = []
        for leaf in (x.clone().requires_grad_(), x.cuda().requires_grad_()):
            function(leaf).sum().backward()
            gradients.append(leaf.grad)
            self.assertEqual(leaf.grad.device, leaf.device)
        self.assertTrue(torch.equal(gradients[0], gradients[1].cpu()))

    def test_gradients_are_the_cpu_s(self):
        for function in (lambda x: x.exp() * x, lambda x: x[1:3].sin(), lambda x: (x @ x.T).softmax(-1)[0], lambda x: x.T.reshape(-1)[::3] ** 2,
                         lambda x: torch.cat([x, x * 2]).max(0).values, lambda x: x.expand(3, 4, 6).mul(x), lambda x: x.mul(2).t().mul_(x.t()),
                         lambda x: x.index_select(0, torch.tensor([0, 0, 2], device=x.device)), lambda x: x.to(torch.float32).square(),
                         lambda x: torch.nn.functional.gelu(x), lambda x: torch.linalg.inv(x[:, :4]), lambda x: x.split(2)[1]):
            self.same_gradient(function)

    def test_placing_is_differentiable(self):
        x = torch.randn(5, requires_grad=True)
        (x.cuda() ** 2).sum().backward()
        self.assertTrue(torch.equal(x.grad, 2 * x.detach()))
        d = torch.randn(5, device="cuda", requires_grad=True)
        (d.cpu() ** 2).sum().backward()
        self.assertTrue(d.grad.is_cuda and torch.equal(d.grad, 2 * d.detach()))
        host = torch.zeros(5)
        host.copy_(d)
        d.grad = None
        (host * 3).sum().backward()
        self.assertTrue(d.grad.is_cuda and d.grad.tolist() == [3] * 5)
        with self.assertRaises(RuntimeError):
            d.grad = torch.zeros(5)

    def test_sums_of_16_bits_are_rounded_once(self):
        for dtype, unit in ((torch.float16, 2.0**-11), (torch.bfloat16, 2.0**-8)):
            x, weight, gradient = torch.randn(2000, 8).to(dtype), torch.rand(8).to(dtype), torch.randn(2000, 8).to(dtype)
            results = []
            for device, kind in (("cpu", torch.float64), ("cuda", dtype)):
                leaf = weight.to(device, kind).requires_grad_()
                torch.nn.functional.layer_norm(x.to(device, kind), (8,), leaf, leaf).backward(gradient.to(device, kind))
                results.append(leaf.grad.cpu().double())
            self.assertLessEqual(((results[1] - results[0]).norm() / results[0].norm()).item(), 2 * unit)  # of weight and of bias

    def test_second_derivatives(self):
        for device in ("cpu", "cuda"):
            x = torch.tensor([1.0, 2.0], device=device, requires_grad=True)
            (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
            (second,) = torch.autograd.grad(first.sum(), x)
            self.assertEqual(second.tolist(), [6, 12])

    def test_gradcheck(self):
        x = torch.randn(3, 3, dtype=torch.float64, device="cuda", requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(lambda x: (x @ x).tanh(), x))

    def test_a_function_that_launches_kernels(self):
        x = torch.randn(10, 7, device="cuda", requires_grad=True)
        y = Scale.apply(x * 2, 3.0)
        self.assertTrue(torch.equal(y.detach().cpu(), x.detach().cpu() * 2 * 3))
        y.backward(torch.ones_like(y))
        self.assertEqual(x.grad.unique().tolist(), [6])
        x.grad = None
        Scale.apply(x.t(), 5.0)[0].sum().backward()
        self.assertEqual(x.grad.sum().item(), 5 * 10)

    def test_hooks_no_grad_and_in_place(self):
        x = torch.ones(3, device="cuda", requires_grad=True)
        seen = []
        y = x * 2
        y.register_hook(seen.append)
        (y * 3).sum().backward()
        self.assertTrue(seen[0].is_cuda and seen[0].tolist() == [3] * 3)
        with torch.no_grad():
            x.add_(1)
        self.assertEqual(x.tolist(), [2] * 3)
        with self.assertRaisesRegex(RuntimeError, "a leaf Variable that requires grad"):
            x.add_(1)
        z = x.exp()
        z.mul_(2)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            z.sum().backward()
        with torch.inference_mode():
            self.assertTrue((x * 2).is_inference())
            for dtype in (torch.float32, torch.float16):
                layer, y = torch.nn.Linear(64, 8).to(dtype), torch.randn(5, 64).to(dtype)
                on_device = torch.nn.functional.layer_norm(torch.nn.functional.linear(y.cuda(), layer.weight.cuda(), layer.bias.cuda()), (8,)).cpu()
                exact = torch.nn.functional.layer_norm(torch.nn.functional.linear(y.double(), layer.weight.double(), layer.bias.double()), (8,))
                self.assertLess((on_device - exact).abs().max(), 4 * torch.finfo(dtype).eps * exact.abs().max())


if __name__ == "__main__":
    unittest.main()
