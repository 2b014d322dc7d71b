"""Kernels of FlyDSL on tensors of torch.cuda: a copy by tiles, a product by MFMA, sums of rows. Right beside torch, and without a hazard of
severity error (FMHA950_CHECK=errors)."""

import unittest

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch
from fmha950.torch_device.hip import hip

ROWS, COLUMNS, DEPTH = 64, 64, 8  # of the tile of a product; depth of a step


@flyc.kernel
def copy_tiles(source: fx.Tensor, target: fx.Tensor):
    """A wave for each tile of 16 x 32: a lane moves 8 neighbours of a row, 16 bytes at a time."""
    parts = []
    lanes, values = fx.make_layout((16, 4), (4, 1)), fx.make_layout((1, 8), (1, 1))
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Float32)
    tile, layout = fx.make_layout_tv(lanes, values)
    lane = fx.make_tiled_copy(atom, layout, tile).get_slice(fx.thread_idx.x)
    for tensor in (source, target):
        tiles = fx.zipped_divide(fx.rocdl.make_buffer_tensor(tensor), (16, 32))
        parts.append(lane.partition_S(fx.slice(tiles, (None, fx.block_idx.x))))
    held = fx.make_fragment_like(parts[0])
    fx.copy(atom, parts[0], held)
    fx.copy(atom, held, parts[1])


@flyc.jit
def copy(source: fx.Tensor, target: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    copy_tiles(source, target).launch(grid=(12, 1, 1), block=(64, 1, 1), stream=stream)


@flyc.kernel
def product_of_tiles(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    """C = A B^T for a tile of C: four waves, 16x16x4 in float32."""
    a, b, c = (fx.rocdl.make_buffer_tensor(tensor) for tensor in (a, b, c))
    tile_a, tile_b, tile_c = (fx.slice(fx.zipped_divide(tensor, shape), (None, fx.block_idx.x))
                              for tensor, shape in ((a, (ROWS, DEPTH)), (b, (COLUMNS, DEPTH)), (c, (ROWS, COLUMNS))))
    atom = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 4, fx.Float32))
    tiled = fx.make_tiled_mma(atom, fx.make_layout((2, 2, 1), (1, 2, 0)))
    move = fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32)
    lane = tiled.thr_slice(fx.thread_idx.x)
    held_a, held_b, held_c = lane.make_fragment_A(tile_a), lane.make_fragment_B(tile_b), lane.make_fragment_C(tile_c)
    copy_a, copy_b, copy_c = (make(move, tiled).get_slice(fx.thread_idx.x)
                              for make in (fx.make_tiled_copy_A, fx.make_tiled_copy_B, fx.make_tiled_copy_C))
    fx.copy(move, copy_a.partition_S(tile_a), copy_a.retile(held_a), pred=None)
    fx.copy(move, copy_b.partition_S(tile_b), copy_b.retile(held_b), pred=None)
    held_c.fill(0)
    fx.gemm(atom, held_c, held_a, held_b, held_c)
    fx.copy(move, copy_c.retile(held_c), copy_c.partition_S(tile_c), pred=None)


@flyc.jit
def product(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    product_of_tiles(a, b, c).launch(grid=(1, 1, 1), block=(256, 1, 1), stream=stream)


@flyc.kernel
def sum_waves(values: fx.Tensor, sums: fx.Tensor):
    """Every lane gets the sum of its wave's values."""
    at = fx.block_idx.x * 64 + fx.thread_idx.x
    sums[at] = fx.coop.warp_reduce(values[at], fx.ReductionOp.ADD)


@flyc.jit
def sums_of_waves(values: fx.Tensor, sums: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    sum_waves(values, sums).launch(grid=(5, 1, 1), block=(64, 1, 1), stream=stream)


class FlyDsl(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(4)
        hip.take_hazards()

    def tearDown(self):
        self.assertEqual(hip.take_hazards(), "")

    def test_copy(self):
        source = torch.randn(48, 128, device="cuda")
        target = torch.empty_like(source)
        copy(source, target, stream=torch.cuda.Stream())
        self.assertTrue(torch.equal(target, source))

    def test_product(self):
        a, b, c = torch.randn(ROWS, DEPTH, device="cuda"), torch.randn(COLUMNS, DEPTH, device="cuda"), torch.empty(ROWS, COLUMNS, device="cuda")
        product(a, b, c, stream=torch.cuda.Stream())
        expected = a.double() @ b.double().T
        self.assertLessEqual(((c.double() - expected).norm() / expected.norm()).item(), 1e-6)

    def test_sums(self):
        values = torch.randint(-99, 99, (320,), dtype=torch.int32, device="cuda")
        sums = torch.empty_like(values)
        sums_of_waves(values, sums)
        self.assertEqual(sums.view(5, 64).tolist(), [[total] * 64 for total in values.view(5, 64).sum(1).tolist()])


if __name__ == "__main__":
    unittest.main()
