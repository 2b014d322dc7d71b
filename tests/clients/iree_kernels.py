"""What IREE's compiler makes of a matmul and of attention in f16, run by IREE's own runtime: right and without a hazard."""
import iree.compiler
import iree.runtime
import numpy

from fmha950_hip import Hip
from judge import require

MATMUL = """
func.func @run(%a: tensor<256x128xf16>, %b: tensor<128x256xf16>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %sum = linalg.matmul ins(%a, %b : tensor<256x128xf16>, tensor<128x256xf16>)
                       outs(%zeros : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %sum : tensor<256x256xf32>
}"""
ATTENTION = """
func.func @run(%q: tensor<2x128x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x128x64xf32> {
  %scale = arith.constant 0.125 : f16
  %empty = tensor.empty() : tensor<2x128x64xf32>
  %out = iree_linalg_ext.attention <{
      indexing_maps = [affine_map<(b, m, n, k, j) -> (b, m, k)>, affine_map<(b, m, n, k, j) -> (b, j, k)>,
                       affine_map<(b, m, n, k, j) -> (b, j, n)>, affine_map<(b, m, n, k, j) -> ()>,
                       affine_map<(b, m, n, k, j) -> (b, m, n)>]}>
      ins(%q, %k, %v, %scale : tensor<2x128x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>, f16)
      outs(%empty : tensor<2x128x64xf32>) {
      ^bb0(%logit: f32):
        iree_linalg_ext.yield %logit : f32
      } -> tensor<2x128x64xf32>
  return %out : tensor<2x128x64xf32>
}"""

hip = Hip()
config = iree.runtime.Config(device=iree.runtime.get_device("hip"))
random = numpy.random.default_rng(3)


def normal(*shape):
    return random.standard_normal(shape).astype(numpy.float16)


def run(program, *arguments):
    compiled = iree.compiler.compile_str(program, target_backends=["rocm"], extra_args=["--iree-rocm-target=gfx950"])
    module = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, compiled), config)
    return module.run(*arguments).to_host()


a, b = normal(256, 128), normal(128, 256)
require(hip, "matmul", run(MATMUL, a, b), a.astype(float) @ b.astype(float), 1e-6)  # products are exact, sums float32

q, k, v = normal(2, 128, 64), normal(2, 256, 64), normal(2, 256, 64)
logits = q.astype(float) @ k.astype(float).transpose(0, 2, 1) * 0.125
p = numpy.exp(logits - logits.max(2, keepdims=True))
right = p @ v.astype(float) / p.sum(2, keepdims=True)
require(hip, "attention", run(ATTENTION, q, k, v), right, 2.0**-10)  # P is rounded to f16, to 2^-12 of itself; scaled queries too
