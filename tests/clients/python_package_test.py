"""The package of python/, as a user has it: arrays, frames, kernels on arrays, errors."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import fmha950
import ml_dtypes
import numpy
from fmha950 import arrays, program

SMALL = "batch_prefill/h=2:1/sq=8/sk=32/d=128/q=fp8/kv=fp8/quant=tensor/lse=1"
APPEND = "append_prefill/h=1:1/sq=4/sk=20/d=64"
LAUNCHER = pathlib.Path(os.environ["FMHA950_SOURCE"]) / "fmha950"


def cli(*words):
    return subprocess.run([LAUNCHER, *words], capture_output=True, text=True, check=True).stdout


class Arrays(unittest.TestCase):
    def test_every_code_is_what_ml_dtypes_says(self):
        for convert, codes, kind in ((arrays.fp8_to_float, numpy.arange(256, dtype="u1"), ml_dtypes.float8_e4m3fn),
                                     (arrays.e8m0_to_float, numpy.arange(256, dtype="u1"), ml_dtypes.float8_e8m0fnu),
                                     (arrays.bf16_to_float, numpy.arange(65536, dtype="u2"), ml_dtypes.bfloat16)):
            numpy.testing.assert_array_equal(convert(codes), codes.view(kind).astype("f4"), strict=True)

    def test_a_case_has_its_outputs_and_inputs(self):
        result = fmha950.run(SMALL, "prepass")
        with tempfile.TemporaryDirectory() as folder:
            cli("run", SMALL, "--impl", "prepass", "--save", f"{folder}/case")
            output = numpy.load(f"{folder}/case/output_prepass.npy").view(ml_dtypes.bfloat16).astype("f4")
            numpy.testing.assert_array_equal(result.output, output)
            numpy.testing.assert_array_equal(result.lse, numpy.load(f"{folder}/case/lse_prepass.npy"))
            numpy.testing.assert_array_equal(result.inputs["k_pool"][:2], numpy.load(f"{folder}/case/k_pool.npy").view(ml_dtypes.float8_e4m3fn)[:2].astype("f4"))
        self.assertEqual(result.record["resolved"], "prepass")
        self.assertEqual(result.output.shape, (8, 2, 128))
        self.assertIsNone(result.k_cache)

    def test_append_prefill_has_its_cache(self):
        result = fmha950.run(APPEND, "baseline")
        self.assertEqual(result.k_cache.shape, result.inputs["k_cache"].shape)
        self.assertIn("k_new", result.inputs)


class Frames(unittest.TestCase):
    def test_accuracy_has_a_row_for_each_result(self):
        frame = fmha950.accuracy([SMALL], ["prepass", "fused"])
        self.assertEqual(sorted(frame.implementation), ["fused", "prepass"])
        self.assertTrue((frame.outcome == "passed").all())
        self.assertTrue((frame.accuracy_kernel_error_rmse > 0).all())
        self.assertEqual(set(frame.key_kv), {"fp8"})

    def test_perf_says_that_it_is_modelled(self):
        frame = fmha950.perf(SMALL, "prepass", no_interval=True)
        speeds = [name for name in frame.columns if "tflops" in name or "clocks" in name]
        self.assertTrue(speeds)
        self.assertTrue(all(name.startswith("modelled_") for name in speeds), speeds)
        self.assertGreater(frame.modelled_tflops[0], 0)

    def test_compare_takes_all(self):
        frame = fmha950.compare(SMALL)
        self.assertIn("unsupported", set(frame.outcome))
        self.assertIn("pipelined", set(frame.implementation))

    def test_results_are_read_as_the_command_reads_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.jsonl"
            cli("accuracy", SMALL, "--impl", "prepass,fused", "--output", path)
            self.assertEqual(len(fmha950.results([path, path])), 2)
            self.assertEqual(len(fmha950.results(path, where="implementation = 'fused'")), 1)
            with self.assertRaisesRegex(fmha950.Error, "no such column: bogus"):
                fmha950.results(path, where="bogus = 1")
            (pathlib.Path(folder) / "b.jsonl").write_text(json.dumps({"a": 1}) + "\n")
            with self.assertRaisesRegex(fmha950.Error, "b.jsonl"):
                fmha950.results(pathlib.Path(folder) / "b.jsonl")


class Device(unittest.TestCase):
    def test_a_kernel_runs_on_arrays(self):
        module = os.environ["CLIENT_MODULE"]
        values = numpy.arange(64, dtype="f4")
        described = fmha950.program.call(["device", "run", module, "--describe"])
        self.assertIn("kernel scale", described)
        ran = fmha950.device.run(module, self.arguments(fmha950.device.inout(values)), kernel="scale", block=64)
        self.assertIn("passed", ran.text)
        numpy.testing.assert_array_equal(ran.outputs[0], 2 * values)
        with self.assertRaisesRegex(fmha950.Error, "nonesuch"):
            fmha950.device.run(module, [], kernel="nonesuch")

    @staticmethod
    def arguments(buffer):
        return [buffer, 2.0, 64]


class Refusals(unittest.TestCase):
    def refuses(self, text, code, function, *arguments, **options):
        with self.assertRaisesRegex(fmha950.Error, text) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.exit_code, code)

    def test_what_the_program_refuses_is_said_in_its_words(self):
        self.refuses("case string key = dd: is none of batch_prefill", 3, fmha950.run, "batch_prefill/h=1:1/sq=8/sk=32/dd=1")
        self.refuses("unsupported: operator append_prefill", 0, fmha950.run, APPEND, "fused")
        self.refuses("implementation = x: must be one of", 3, fmha950.accuracy, SMALL, "x")
        self.refuses("not expected: --bogus", 109, fmha950.accuracy, SMALL, bogus=3)
        self.refuses("cases: must be case strings", None, fmha950.accuracy)
        self.refuses("impl = prepass,fused: must be one implementation", None, fmha950.run, SMALL, "prepass,fused")

    def test_a_run_that_was_killed_is_no_result(self):
        def killed(words):
            pathlib.Path(words[words.index("--output") + 1]).write_text(json.dumps({"case": SMALL}) + "\n")
            return 137, "", "Killed"

        with mock.patch("fmha950.frames.start", killed):
            self.refuses("did not come to its end: Killed", 137, fmha950.accuracy, SMALL)

    def test_values_with_commas_are_given_one_by_one(self):
        self.assertEqual(program.option_words({"axis": ["seed=1,2", "page=16"], "schedules": ["eager", "lazy"], "explain": True, "memory": None}),
                         ["--axis", "seed=1,2", "--axis", "page=16", "--schedules", "eager,lazy", "--explain"])

    def test_a_module_of_the_callers_own_is_no_trouble(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("database", "records"):
                (pathlib.Path(folder) / f"{name}.py").write_text("mine = True\n")
            program_text = "import database, records, fmha950; print(len(fmha950.compare({!r}, 'fused'))); assert database.mine".format(SMALL)
            ran = subprocess.run([sys.executable, "-c", program_text], cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(ran.stdout, "1\n", ran.stderr)

    def test_where_it_looks_for_the_program(self):
        self.assertEqual(program.launcher(), LAUNCHER)  # the checkout that it was installed from
        with mock.patch.dict(os.environ, FMHA950_HOME="/nowhere"):
            self.refuses("FMHA950_HOME = /nowhere: must be a checkout", None, fmha950.accuracy, SMALL)


if __name__ == "__main__":
    unittest.main()
