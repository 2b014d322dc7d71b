"""TorchScript: what is scripted runs as Python, and what was compiled elsewhere is refused on cuda."""

import os
import subprocess
import sys
import tempfile
import unittest

import torch


def factory(n: int):
    return torch.zeros(n, device="cuda") + torch.rand(n, device="cuda")


def factory_like(x: torch.Tensor):
    return torch.ones(2, device=x.device)


@torch.jit.script
def decorated(x: torch.Tensor, n: int) -> torch.Tensor:
    if n > 1:
        x = x + torch.ones(x.shape, device=x.device)
    return x


class Scripted(unittest.TestCase):
    def test_factories(self):
        x = torch.zeros(2, device="cuda")
        for made in (torch.jit.script(factory)(3), torch.jit.script(factory_like)(x), torch.jit.trace(factory_like, x)(x), decorated(x, 2)):
            self.assertEqual(made.device.type, "cuda")
        self.assertEqual((decorated(x, 2).tolist(), decorated(torch.zeros(1), 1).device.type), ([1, 1], "cpu"))

    def test_modules(self):
        for make in (torch.jit.script, lambda module: torch.jit.trace(module, torch.ones(1, 2, device=next(module.parameters()).device))):
            self.assertEqual(make(torch.nn.Linear(2, 2)).cuda()(torch.ones(1, 2, device="cuda")).device.type, "cuda")
            self.assertEqual(make(torch.nn.Linear(2, 2).cuda())(torch.ones(1, 2, device="cuda")).device.type, "cuda")

    def test_what_was_compiled_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "linear.pt")
            code = f"import torch; torch.jit.script(torch.nn.Linear(2, 2)).save({path!r})"
            subprocess.run([sys.executable, "-c", code], check=True,
                           env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"})
            with self.assertRaisesRegex(RuntimeError, "fmha950: torch.jit.load.map_location='cuda'. is refused"):
                torch.jit.load(path, map_location="cuda")
            module = torch.jit.load(path)
            self.assertEqual(module(torch.ones(1, 2)).shape, (1, 2))
            for move in (module.cuda, lambda: module.to("cuda"), lambda: torch.nn.Sequential(module).cuda()):
                with self.assertRaisesRegex(RuntimeError, "fmha950: a torch.jit.ScriptModule on cuda is refused"):
                    move()
            module.to(torch.float64)  # is no move

    def test_what_is_python_s_cannot_be_saved(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(RuntimeError, "fmha950: torch.jit.save is refused"):
            torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), os.path.join(folder, "x.pt"))


if __name__ == "__main__":
    unittest.main()
