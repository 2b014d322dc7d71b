"""Tensors on the embedded device, beside the same operations on the CPU."""

import copy
import io
import pickle
import threading
import unittest

import numpy
import torch
from fmha950.torch_device.hip import hip

AT_LEAST_2 = int(torch.__version__.split(".")[0]) >= 2


def both(function, *inputs):
    """A function of tensors on the CPU, and its result on the device, brought back."""
    expected = function(*inputs)
    on_device = function(*(tensor.cuda() for tensor in inputs))
    return expected, on_device


class Tensors(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.x = torch.randn(6, 8)

    def same(self, function, *inputs):
        expected, actual = both(function, *(inputs or (self.x,)))
        self.assertEqual(actual.device, torch.device("cuda:0"))
        self.assertTrue(actual.is_cuda)
        self.assertEqual((actual.shape, actual.stride(), actual.dtype), (expected.shape, expected.stride(), expected.dtype))
        self.assertTrue(torch.equal(actual.cpu(), expected))

    def test_results_are_the_cpu_s(self):
        for function in (lambda x: x + 1, lambda x: x @ x.T, lambda x: x.softmax(-1), lambda x: x.sum(), lambda x: x.max(0).values,
                         lambda x: torch.cat([x, x]), lambda x: torch.where(x > 0, x, 0), lambda x: x.to(torch.float16), lambda x: x.sort().indices,
                         lambda x: torch.stack([x, 2 * x]).flip(0), lambda x: x[x > 0], lambda x: x.nonzero(), lambda x: x.contiguous(),
                         lambda x: torch.zeros_like(x), lambda x: x.new_ones(3), lambda x: torch.linalg.qr(x).Q, lambda x: x.half().float(),
                         lambda x: torch.nn.functional.layer_norm(x, (8,)), lambda x: x.abs().sqrt_(), lambda x: torch.block_diag(x, x),
                         lambda x: torch.nn.functional.one_hot((x > 0).long()), lambda x: torch.cdist(x, x),
                         lambda x: torch.complex(x, x).conj().resolve_conj()):
            self.same(function)
        if AT_LEAST_2:
            self.same(lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True))

    def test_views_share_memory(self):
        self.same(lambda x: x.T[1:5:2])
        self.same(lambda x: x.view(3, 16).unsqueeze(0).expand(4, 3, 16))
        d = self.x.cuda()
        self.assertEqual(d[1:].data_ptr(), d.data_ptr() + 32)
        d[1:3].T[2].fill_(7)
        self.assertEqual(d.cpu()[1:3, 2].tolist(), [7, 7])
        for part in d.split(2):
            part.zero_()
        self.assertEqual(d.abs().sum().item(), 0)
        self.assertEqual(d.untyped_storage().data_ptr(), d[2].untyped_storage().data_ptr())

    def test_in_place_gives_the_same_object(self):
        d = self.x.cuda()
        self.assertIs(d.mul_(2), d)
        d += 1
        d[0, 0] = 5
        d[d < 0] = 0
        expected = self.x * 2 + 1
        expected[0, 0] = 5
        expected[expected < 0] = 0
        self.assertTrue(torch.equal(d.cpu(), expected))
        d.t_()
        self.assertEqual((d.shape, d.stride()), ((8, 6), (1, 8)))
        self.assertGreater(d._version, 3)

    def test_out(self):
        d = self.x.cuda()
        out = torch.empty(6, 8, device="cuda")
        address = out.data_ptr()
        self.assertIs(torch.add(d, 1, out=out), out)
        self.assertEqual(out.data_ptr(), address)
        self.assertTrue(torch.equal(out.cpu(), self.x + 1))
        for start in (0, 3):  # of another size
            out = torch.empty(start, device="cuda")
            torch.add(d, 2, out=out)
            self.assertTrue(torch.equal(out.cpu(), self.x + 2))
            self.assertGreaterEqual(out.data_ptr(), 1 << 44)  # of the device
        values, indices = torch.empty(0, device="cuda"), torch.empty(0, dtype=torch.int64, device="cuda")
        torch.max(d, 1, out=(values, indices))
        self.assertTrue(torch.equal(values.cpu(), self.x.max(1).values))
        with self.assertRaisesRegex(RuntimeError, "same device"):
            torch.add(d, 1, out=torch.empty(6, 8))

    def test_to_and_from_the_cpu(self):
        d = self.x.cuda()
        self.assertIs(d.cuda(), d)
        self.assertIs(d.to("cuda"), d)
        self.assertIs(d.to(d), d)
        self.assertIs(self.x.cpu(), self.x)
        self.assertIsNot(d.to("cuda", copy=True), d)
        for moved in (d.to("cpu"), d.to(torch.device("cpu")), d.cpu(), d.to(self.x), d.to("cpu", torch.float32),
                      d.to(device="cpu", dtype=torch.float32)):
            self.assertIs(type(moved), torch.Tensor)
            self.assertTrue(torch.equal(moved, self.x))
        self.assertEqual(self.x.to("cuda:0", torch.bfloat16).dtype, torch.bfloat16)
        self.assertEqual(self.x.to(0).device, torch.device("cuda:0"))
        self.assertEqual(self.x.type("torch.cuda.HalfTensor").type(), "torch.cuda.HalfTensor")
        self.assertEqual(self.x.int().type_as(d).dtype, torch.float32)
        host = torch.zeros(6, 8)
        host.copy_(d)
        self.assertTrue(torch.equal(host, self.x))
        d.copy_(host * 3)
        self.assertTrue(torch.equal(d.cpu(), self.x * 3))
        self.assertTrue(torch.equal(self.x.T.cuda().cpu(), self.x.T))
        self.assertIsInstance(d, torch.cuda.FloatTensor)
        self.assertNotIsInstance(d, torch.cuda.HalfTensor)
        self.assertEqual((d.to("meta").device.type, torch.empty_like(d, device="meta").device.type), ("meta", "meta"))
        self.assertTrue(self.x.pin_memory().is_pinned())
        self.assertFalse(self.x.is_pinned())
        with self.assertRaisesRegex(RuntimeError, "invalid device ordinal"):
            self.x.to("cuda:1")

    def test_a_view_s_elements_alone_are_moved(self):
        x, z = torch.randn(2, 8), torch.randn(2, 3, 4)
        views = (x[:, :4], x[:, :4].t(), x[1], x[:, ::2], x[:1].expand(5, 8), x[:, :1].expand(2, 3).t(), x.as_strided((3, 3), (1, 1)),
                 z.permute(2, 0, 1), z.permute(2, 0, 1)[:, :1], x[:0], x[:, 3:3].t(), x[1, 2], x.flatten().as_strided((2, 2), (1, 1)).half()[0],
                 torch.randn(2, 8, 4, 5).to(memory_format=torch.channels_last)[:, :3], torch.view_as_complex(z.view(2, 6, 2)).conj()[:, 2:])
        for view in views:
            expected = view.to("meta")
            for moved in (view.cuda(), view.to("cuda"), torch.as_tensor(view, device="cuda"), torch.empty(0, device="cuda").to(view.dtype).new_tensor(view)):
                self.assertEqual((moved.stride(), moved.storage_offset()), (expected.stride(), 0), (view.shape, view.stride()))
                self.assertEqual(moved.untyped_storage().nbytes(), view.numel() * view.element_size())
                self.assertTrue(torch.equal(moved.cpu(), view.resolve_conj()))
        before = torch.cuda.memory_allocated()
        part = torch.zeros(1_000_000)[:4].cuda()
        self.assertEqual(torch.cuda.memory_allocated() - before, part.untyped_storage().nbytes())
        part = torch.ones(4, requires_grad=True)
        part[1:].cuda().sum().backward()
        self.assertEqual(part.grad.tolist(), [0, 1, 1, 1])

    def test_numpy_is_refused(self):
        d = self.x.cuda()
        for ask in (d.numpy, lambda: numpy.asarray(d), lambda: numpy.sin(d)):
            with self.assertRaisesRegex(TypeError, "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()"):
                ask()
        self.assertEqual(d.tolist(), self.x.tolist())
        self.assertIn("device='cuda:0'", repr(d))
        self.assertEqual(f"{d[0, 0]:.3f}", f"{self.x[0, 0]:.3f}")

    def test_two_devices_do_not_mix(self):
        d = self.x.cuda()
        for mix in (lambda: d + self.x, lambda: self.x @ d.T, lambda: torch.cat([d, self.x])):
            with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
                mix()
        self.assertTrue(torch.equal((d * torch.tensor(2.0)).cpu(), self.x * 2))  # a number
        self.assertTrue(torch.equal(d[torch.tensor([1, 0])].cpu(), self.x[[1, 0]]))  # indices may be the CPU's

    def test_types_do_not_mix_where_torch_refuses_it(self):
        x, three = self.x, torch.randn(2, 3, 3)
        for mix in (lambda h, f: h @ f.T, lambda h, f: f @ h.T, lambda h, f: h @ f[0], lambda h, f: h[0].dot(f[0]), lambda h, f: h[0] @ f[1],
                    lambda h, f: torch.addmm(f[:, :6], h, h.T), lambda h, f: torch.addmm(h[:, :6], h, f.T), lambda h, f: torch.addmv(h[:, 0], h, f[0]),
                    lambda h, f: torch.nn.functional.linear(h, f), lambda h, f: torch.nn.functional.linear(h, h, f[:, 0])):
            for narrow in (torch.float16, torch.bfloat16):
                with self.assertRaises(RuntimeError):
                    mix(x.cuda().to(narrow), x.cuda())
        for mix in (torch.bmm, lambda h, f: torch.baddbmm(f, h, h)):
            with self.assertRaises(RuntimeError):
                mix(three.cuda().half(), three.cuda())
        half = x.cuda().half()
        self.assertTrue(torch.equal((half @ half.T).cpu(), (x.half().float() @ x.half().float().T).half()))

    def test_factories(self):
        for make in (torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn):
            self.assertEqual(make(2, 3, device="cuda").device.type, "cuda")
            self.assertEqual(make((2, 3)).device.type, "cpu")
        self.assertEqual(torch.arange(5, device="cuda").tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(torch.full((2,), 3, device="cuda").tolist(), [3, 3])
        self.assertEqual(torch.tensor([[1, 2]], device="cuda", dtype=torch.float16).tolist(), [[1, 2]])
        self.assertEqual(torch.as_tensor(numpy.ones(2), device="cuda").dtype, torch.float64)
        self.assertEqual(sorted(torch.randperm(9, device="cuda").tolist()), list(range(9)))
        self.assertEqual(torch.zeros_like(self.x.cuda(), device="cpu").device.type, "cpu")
        self.assertEqual(torch.zeros_like(self.x, device="cuda").device.type, "cuda")
        self.assertEqual(self.x.new_zeros(2, device="cuda").device.type, "cuda")
        self.assertEqual(torch.tensor(self.x.cuda()[0]).device.type, "cuda")
        self.assertEqual(torch.tensor([self.x.cuda()[0, 0], 1.0], device="cuda").shape, (2,))
        self.assertTrue(torch.rand(2, device="cuda", requires_grad=True).requires_grad)
        with self.assertRaisesRegex(RuntimeError, "not supported"):
            torch.sparse_coo_tensor([[0]], [1.0], (2,), device="cuda")
        with self.assertRaisesRegex(RuntimeError, "not supported"):
            self.x.cuda().to_sparse()

    @unittest.skipUnless(AT_LEAST_2, "torch 1.13 has none")
    def test_default_device(self):
        with torch.device("cuda"):
            self.assertTrue(torch.zeros(3).is_cuda)
            self.assertTrue(torch.tensor([1, 2]).is_cuda)
            self.assertEqual(torch.zeros(3, device="cpu").device.type, "cpu")
            self.assertTrue(torch.nn.Linear(2, 2).weight.is_cuda)
            with torch.device("cpu"):
                self.assertFalse(torch.zeros(3).is_cuda)
        self.assertFalse(torch.zeros(3).is_cuda)
        torch.set_default_device("cuda")
        try:
            self.assertTrue(torch.randn(3).is_cuda)
            self.assertEqual(torch.get_default_device().type, "cuda")
        finally:
            torch.set_default_device(None)
        with torch.device("meta"):
            self.assertEqual(torch.zeros(3).device.type, "meta")

    def test_empty_and_expanded(self):
        empty = torch.empty(0, 4, device="cuda")
        self.assertEqual((empty + 1).shape, (0, 4))
        self.assertEqual(torch.cat([empty, torch.ones(2, 4, device="cuda")]).shape, (2, 4))
        self.assertEqual(empty.sum().item(), 0)
        wide = torch.ones(1, device="cuda").expand(1000)
        self.assertEqual((wide.stride(), wide.sum().item(), wide.cpu().stride()), ((0,), 1000, torch.ones(1).expand(1000).clone().stride()))

    def test_set_resize_and_data(self):
        d = self.x.cuda()
        other = torch.zeros(2, 2, device="cuda")
        d.set_(other)
        self.assertEqual((d.data_ptr(), d.shape), (other.data_ptr(), (2, 2)))
        d.resize_(1, 2)
        self.assertEqual(d.data_ptr(), other.data_ptr())
        d.fill_(4).resize_(3, 5)
        self.assertEqual(d.flatten()[:2].tolist(), [4, 4])
        d.fill_(1)
        self.assertEqual(d.sum().item(), 15)
        d.data = torch.full((7,), 2.0, device="cuda")
        self.assertEqual((d.tolist(), d.data.is_cuda), ([2] * 7, True))
        with self.assertRaisesRegex(RuntimeError, "x and y must be on one device"):
            self.x.data = d

    def test_dlpack(self):
        d = self.x.cuda()
        self.assertEqual(d.__dlpack_device__(), (10, 0))  # kDLROCM
        again = torch.from_dlpack(d)
        self.assertEqual((again.data_ptr(), again.device.type), (d.data_ptr(), "cuda"))
        again.zero_()
        self.assertEqual(d.abs().sum().item(), 0)
        self.assertTrue(torch.from_dlpack(torch.utils.dlpack.to_dlpack(d)).is_cuda)
        self.assertFalse(torch.from_dlpack(self.x).is_cuda)
        with self.assertRaises((TypeError, BufferError, RuntimeError)):
            numpy.from_dlpack(d)

    def test_pickle_and_save(self):
        d = self.x.cuda()
        again = pickle.loads(pickle.dumps(d))
        self.assertTrue(again.is_cuda and torch.equal(again.cpu(), self.x))
        model = torch.nn.Linear(3, 2).cuda()
        file = io.BytesIO()
        torch.save({"x": d, "part": d[1:], "model": model.state_dict(), "parameter": model.weight}, file)
        for only in (True, False):
            file.seek(0)
            loaded = torch.load(file, weights_only=only)
            self.assertTrue(loaded["x"].is_cuda and torch.equal(loaded["x"].cpu(), self.x))
            self.assertEqual(loaded["part"].data_ptr(), loaded["x"].data_ptr() + 32)
            self.assertTrue(loaded["model"]["weight"].is_cuda)
            self.assertIsInstance(loaded["parameter"], torch.nn.Parameter)
            self.assertTrue(loaded["parameter"].is_cuda)
        file.seek(0)
        self.assertFalse(torch.load(file, map_location="cpu")["x"].is_cuda)
        self.assertNotIn(b"fmha950", file.getvalue())
        file = io.BytesIO()
        torch.save(self.x, file)
        file.seek(0)
        self.assertTrue(torch.load(file, map_location="cuda").is_cuda)
        twin = copy.deepcopy(model)
        self.assertNotEqual(twin.weight.data_ptr(), model.weight.data_ptr())
        self.assertTrue(twin.weight.is_cuda and isinstance(twin.weight, torch.nn.Parameter))

    def test_modules(self):
        model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU(), torch.nn.Dropout(0.0))
        expected = model(self.x)
        model2 = copy.deepcopy(model).to("cuda")
        self.assertTrue(all(p.is_cuda for p in model2.parameters()) and all(b.is_cuda for b in model2.buffers()))
        self.assertTrue(torch.allclose(model2(self.x.cuda()).cpu(), expected))
        optimizer = torch.optim.Adam(model2.parameters())
        before = model2[0].weight.detach().cpu()
        model2(self.x.cuda()).square().sum().backward()
        optimizer.step()
        self.assertFalse(torch.equal(before, model2[0].weight.detach().cpu()))
        self.assertFalse(any(p.is_cuda for p in model2.cpu().parameters()))
        for recurrent in (torch.nn.LSTM(8, 3), torch.nn.GRU(8, 3)):
            expected = recurrent(self.x)[0]
            self.assertTrue(torch.allclose(recurrent.cuda()(self.x.cuda())[0].cpu(), expected))

    def test_tied_weights_stay_tied(self):
        model = torch.nn.ModuleList([torch.nn.Linear(8, 4), torch.nn.Sequential(torch.nn.Linear(8, 4))])
        model[1][0].weight = model[0].weight
        for move in (model.cuda, model.half, model.float, model.cpu, model.cuda):
            move()
            self.assertIs(model[0].weight, model[1][0].weight)
        self.assertEqual((len(list(model.parameters())), model[0].weight.is_cuda), (3, True))
        (model[0](self.x.cuda()) + model[1][0](self.x.cuda())).sum().backward()
        self.assertTrue(torch.allclose(model[0].weight.grad.cpu(), 2 * self.x.sum(0).expand(4, 8), atol=1e-5))

    @unittest.skipUnless(hasattr(torch.__future__, "set_swap_module_params_on_conversion"), "moved parameters are new objects before torch 2.3")
    def test_an_optimizer_made_before_the_move(self):
        model = torch.nn.Linear(8, 4)
        parameters = list(model.parameters())
        optimizer = torch.optim.SGD(parameters, lr=0.5)
        expected = model.weight.detach() - 0.5 * self.x.sum(0)
        model.cuda()
        loss = model(self.x.cuda()).sum()
        loss.backward()
        optimizer.step()
        self.assertTrue(torch.allclose(model.weight.detach().cpu(), expected, atol=1e-5))
        self.assertTrue(all(a is b for a, b in zip(parameters, model.parameters())))
        self.assertTrue(model.weight.grad.is_cuda)
        model.cpu()  # the loss lives
        self.assertFalse(model.weight.is_cuda or model.weight.grad.is_cuda)

    @unittest.skipUnless(hasattr(torch.__future__, "set_swap_module_params_on_conversion"), "moved parameters are new objects before torch 2.3")
    def test_what_a_graph_holds_is_moved_with_a_warning(self):
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8))
        model[1].weight = model[0].weight
        held = model(self.x).sum()
        with self.assertWarnsRegex(UserWarning, "fmha950: Linear.weight is moved while a graph"):
            model.cuda()
        self.assertTrue(model[0].weight.is_cuda and model[1].weight is model[0].weight)
        held.backward()  # into the old ones

    def test_loading_a_state(self):
        state = torch.nn.LSTM(8, 4).state_dict()
        model = torch.nn.LSTM(8, 4).cuda()
        parameters = list(model.parameters())
        model.load_state_dict(state)
        self.assertTrue(all(a is b and a.is_cuda for a, b in zip(parameters, model.parameters())))
        self.assertTrue(torch.equal(model.weight_ih_l0.detach().cpu(), state["weight_ih_l0"]))

    def test_packed_sequences(self):
        hip.take_hazards()
        x, rnn = torch.randn(3, 2, 4), torch.nn.utils.rnn
        for lengths in (torch.tensor([3, 2]), torch.tensor([2, 3])):
            is_sorted = lengths[0] > lengths[1]
            packed, on_device = (rnn.pack_padded_sequence(each, lengths, enforce_sorted=bool(is_sorted)) for each in (x, x.cuda()))
            self.assertEqual((on_device.data.is_cuda, on_device.batch_sizes.is_cuda), (True, False))
            self.assertEqual(on_device.batch_sizes.tolist(), packed.batch_sizes.tolist())
            for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
                model = kind(4, 3)
                with torch.no_grad():
                    expected = rnn.pad_packed_sequence(model(packed)[0])[0]
                padded, back = rnn.pad_packed_sequence(model.cuda()(on_device)[0])
                self.assertTrue(torch.allclose(padded.cpu(), expected, atol=1e-6))
                self.assertEqual((padded.is_cuda, back.is_cuda, back.tolist()), (True, False, lengths.tolist()))
                padded.sum().backward()
                self.assertTrue(model.weight_ih_l0.grad.is_cuda)
        self.assertEqual(hip.take_hazards(), "")
        with self.assertRaisesRegex(RuntimeError, "same device"):
            torch.nn.GRU(4, 3)(x.cuda())

    def test_ctc_loss_takes_lengths_of_the_cpu(self):
        x, targets, lengths = torch.randn(5, 2, 4).log_softmax(2), torch.tensor([[1, 2], [1, 3]]), (torch.tensor([5, 5]), torch.tensor([2, 2]))
        expected = torch.nn.functional.ctc_loss(x, targets, *lengths)
        for where in ("cpu", "cuda"):
            leaf = x.cuda().requires_grad_()
            loss = torch.nn.functional.ctc_loss(leaf, targets.to(where), *lengths)
            loss.backward()
            self.assertTrue(loss.is_cuda and leaf.grad.is_cuda and torch.allclose(loss.detach().cpu(), expected))

    def test_threads(self):
        failures = []

        def work(number):
            try:
                for _ in range(20):
                    x = torch.full((100,), float(number), device="cuda", requires_grad=True)
                    (x * x).sum().backward()
                    if not x.grad.eq(2 * number).all().item():
                        failures.append(number)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
