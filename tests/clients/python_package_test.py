"""The package of python/, as a user has it: arrays, frames, kernels on arrays, errors."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from unittest import mock

import fmha950
import ml_dtypes
import numpy
from fmha950 import arrays, device, program
from matplotlib import pyplot as plot

SMALL = "batch_prefill/h=2:1/sq=8/sk=32/d=128/q=fp8/kv=fp8/quant=tensor/lse=1"
APPEND = "append_prefill/h=1:1/sq=4/sk=20/d=64"
LAUNCHER = pathlib.Path(os.environ["FMHA950_SOURCE"]) / "fmha950"


def cli(*words):
    return subprocess.run([LAUNCHER, *words], capture_output=True, text=True, check=True).stdout


class Arrays(unittest.TestCase):
    def test_every_code_is_what_ml_dtypes_says(self):
        for convert, codes, kind in ((arrays.fp8_to_float, numpy.arange(256, dtype="u1"), ml_dtypes.float8_e4m3fn),
                                     (arrays.bf8_to_float, numpy.arange(256, dtype="u1"), ml_dtypes.float8_e5m2),
                                     (arrays.e8m0_to_float, numpy.arange(256, dtype="u1"), ml_dtypes.float8_e8m0fnu),
                                     (arrays.bf16_to_float, numpy.arange(65536, dtype="u2"), ml_dtypes.bfloat16)):
            converted, right = convert(codes), codes.view(kind).astype("f4")
            numpy.testing.assert_array_equal(converted, right, strict=True)
            numbers = ~numpy.isnan(right)  # of which zeros have a sign, too
            numpy.testing.assert_array_equal(numpy.signbit(converted[numbers]), numpy.signbit(right[numbers]))

    def test_two_elements_of_mxfp4_are_a_byte_the_first_in_its_lower_half(self):
        pairs = numpy.array([[0x21, 0xF7], [0x54, 0x8B]], "u1")  # OCP Microscaling Formats 1.0, table 5
        right = numpy.array([[0.5, 1, 6, -6], [2, 3, -1.5, -0.0]], "f4")
        numpy.testing.assert_array_equal(arrays.mxfp4_to_float(pairs), right, strict=True)

    def test_a_case_has_its_outputs_and_inputs(self):
        result = fmha950.run(SMALL, "prepass")
        with tempfile.TemporaryDirectory() as folder:
            cli("run", SMALL, "--impl", "prepass", "--save", f"{folder}/case")
            output = numpy.load(f"{folder}/case/output_prepass.npy").view(ml_dtypes.bfloat16).astype("f4")
            numpy.testing.assert_array_equal(result.output, output)
            numpy.testing.assert_array_equal(result.lse, numpy.load(f"{folder}/case/lse_prepass.npy"))
            pool = numpy.load(f"{folder}/case/k_pool.npy").view(ml_dtypes.float8_e4m3fn).astype("f4")
            numpy.testing.assert_array_equal(result.inputs["k_pool"], pool)
        self.assertEqual(result.record["resolved"], "prepass")
        self.assertEqual(result.output.shape, (8, 2, 128))
        self.assertIsNone(result.k_cache)

    def test_append_prefill_has_its_cache(self):
        result = fmha950.run(APPEND, "baseline")
        with tempfile.TemporaryDirectory() as folder:
            cli("run", APPEND, "--impl", "baseline", "--save", f"{folder}/case")
            made = json.loads(pathlib.Path(f"{folder}/case/manifest.json").read_text())["results"][0]
            for name in ("k_cache", "v_cache"):
                right = numpy.load(f"{folder}/case/{made[name]['file']}").view(ml_dtypes.float8_e4m3fn).astype("f4")
                numpy.testing.assert_array_equal(getattr(result, name), right)
                self.assertFalse(numpy.array_equal(right, result.inputs[name], equal_nan=True))  # the chunk is in it
        self.assertFalse(numpy.array_equal(result.k_cache, result.v_cache, equal_nan=True))
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

    def test_a_folder_stands_for_cases(self):
        with tempfile.TemporaryDirectory() as folder:
            cli("run", SMALL, "--impl", "prepass", "--save", f"{folder}/case")
            frame = fmha950.accuracy(impl="prepass", load=f"{folder}/case", schedules=["eager", "lazy"])
        self.assertEqual(list(frame.outcome), ["passed"])
        self.assertEqual([each["schedule"] for each in json.loads(frame.variations[0])], ["eager", "lazy"])

    def test_a_conflict_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = (pathlib.Path(folder) / name for name in ("a.jsonl", "b.jsonl"))
            cli("accuracy", SMALL, "--impl", "prepass", "--output", first)
            second.write_text(json.dumps(json.loads(first.read_text()) | {"variant": "another"}) + "\n")
            with self.assertWarnsRegex(UserWarning, "b.jsonl and .*a.jsonl: prepass on"):
                self.assertEqual(len(fmha950.results([first, second])), 1)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                fmha950.results([first, first])

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


class Readme(unittest.TestCase):
    def test_its_ten_lines_plot_error_over_length(self):
        text = LAUNCHER.with_name("README.md").read_text(encoding="utf-8")
        (example,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertEqual(len(example.splitlines()), 10)
        axes = plot.figure().gca()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            exec(compile(example, "README.md", "exec"), {})  # whoever reads them types them in
            image = plot.imread("error_over_length.png")
        self.assertGreater(image.std(), 0)
        lines = {line.get_label(): line for line in axes.lines}
        self.assertEqual(set(lines), {"prepass", "fused", "pipelined"})
        for line in lines.values():
            self.assertEqual(list(line.get_xdata()), [256, 512, 1024, 2048, 4096, 8192])
            self.assertTrue(((line.get_ydata() > 0) & (line.get_ydata() < 0.1)).all())
        self.assertEqual(sorted(text.get_text() for text in axes.get_legend().get_texts()), sorted(lines))


class Device(unittest.TestCase):
    MODULE, HAZARDS = os.environ["CLIENT_MODULE"], os.environ["HAZARD_MODULE"]

    def test_a_kernel_runs_on_arrays(self):
        values = numpy.arange(64, dtype="f4")
        ran = device.run(self.MODULE, [device.inout(values), 2.0, 64], kernel="scale", block=64)
        self.assertIn("passed", ran.text)
        self.assertEqual((ran.exit_code, len(ran.findings)), (0, 0))
        numpy.testing.assert_array_equal(ran.outputs[0], 2 * values)
        with self.assertRaisesRegex(fmha950.Error, "nonesuch"):
            device.run(self.MODULE, [], kernel="nonesuch")

    def test_elements_that_numpy_lacks(self):
        values = numpy.arange(64).astype(ml_dtypes.bfloat16)
        kept = device.run(self.MODULE, [device.inout(values), 2.0, 0], block=64).outputs[0]  # of no element: nothing is written
        self.assertEqual(kept.dtype, values.dtype)
        numpy.testing.assert_array_equal(kept, values)
        ran = device.run(self.MODULE, [device.out("fp8", (2, 4)), 2.0, 0], block=64, check=False)
        self.assertTrue(numpy.isnan(ran.outputs[0]).all())  # poison
        self.assertEqual((ran.outputs[0].dtype, ran.outputs[0].shape), (numpy.float32, (2, 4)))

    def test_findings_are_a_frame_and_outputs_stay(self):
        output, kernel = [device.zero("uint32", 128)], "lds_order_bad"
        with self.assertRaisesRegex(device.NotPassed, "lds_order at .*missing a barrier") as caught:
            device.run(self.HAZARDS, output, kernel=kernel, block=128)
        for ran in (caught.exception.ran, device.run(self.HAZARDS, output, kernel=kernel, block=128, check=False)):
            self.assertEqual(ran.exit_code, 2)
            found = ran.findings[ran.findings.hazard == "lds_order"]
            self.assertEqual({("error", kernel, "a barrier")}, set(zip(found.severity, found.kernel, found.missing)))
            self.assertTrue(found.earlier_source.str.startswith("tests/observe/hazard_kernels.hip:").all())
            self.assertEqual(ran.outputs[0].shape, (128,))
        cured = device.run(self.HAZARDS, output, kernel="lds_order_good", block=128)
        self.assertEqual((len(cured.findings), cured.exit_code), (0, 0))
        numpy.testing.assert_array_equal(cured.outputs[0], numpy.arange(128)[::-1])

    def test_a_fault_is_an_error_in_the_devices_words(self):
        with self.assertRaisesRegex(fmha950.Error, "outside every allocation") as caught:
            device.run(self.MODULE, [device.inout(numpy.zeros(64, "f4")), 2.0, 128], block=128)
        self.assertEqual(caught.exception.exit_code, 4)

    def test_an_output_that_is_not_as_expected(self):
        with tempfile.TemporaryDirectory() as folder:
            numpy.save(f"{folder}/wrong.npy", numpy.ones(64, "f4"))
            with self.assertRaises(device.NotPassed) as caught:
                device.run(self.MODULE, [device.inout(numpy.zeros(64, "f4")), 2.0, 64], block=64, expect=f"{folder}/wrong.npy")
        self.assertEqual(caught.exception.exit_code, 1)


class Refusals(unittest.TestCase):
    def refuses(self, text, code, function, *arguments, **options):
        with self.assertRaisesRegex(fmha950.Error, text) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.exit_code, code)

    def test_what_the_program_refuses_is_said_in_its_words(self):
        self.refuses("case string key = dd: is none of batch_prefill", 3, fmha950.run, "batch_prefill/h=1:1/sq=8/sk=32/dd=1")
        self.refuses("unsupported: operator append_prefill", 0, fmha950.run, APPEND, "fused")
        self.refuses("implementation = x: must be one of", 3, fmha950.accuracy, SMALL, "x")
        self.assertTrue(issubclass(fmha950.Error, ValueError))
        for value in (3, True, False, "x"):
            self.refuses("--bogus", 109, fmha950.accuracy, SMALL, bogus=value)
            self.refuses("--bogus", 109, fmha950.device.run, os.environ["CLIENT_MODULE"], [], bogus=value)
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

    def test_what_would_change_the_answers_form_is_refused_by_name(self):
        for name in ("json", "help", "output", "save"):
            self.refuses(f"option {name}:", None, fmha950.run, SMALL, **{name: True})
            self.refuses(f"option {name}:", None, fmha950.accuracy, SMALL, **{name: True})
        self.refuses("option axis:", None, fmha950.run, SMALL, axis="seed=1,2")
        self.refuses("case = --help", None, fmha950.run, "--help")

    def test_where_it_looks_for_the_program(self):
        self.assertEqual(program.launcher(), LAUNCHER)  # the checkout that it was installed from
        with mock.patch.dict(os.environ, FMHA950_HOME="/nowhere"):
            self.refuses("FMHA950_HOME = /nowhere: must be a checkout", None, fmha950.accuracy, SMALL)

    def test_a_copy_far_from_a_checkout_says_where_it_looked_and_takes_the_one_on_path(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(shutil.copytree(pathlib.Path(fmha950.__file__).parent, f"{folder}/a/b/fmha950"))
            (package / "checkout.txt").write_text(f"{folder}/gone\n")
            (pathlib.Path(folder) / "fmha950").symlink_to(LAUNCHER)
            find = [sys.executable, "-c", "from fmha950 import program; print(program.launcher(), program.share())"]

            def found(path):
                return subprocess.run(find, capture_output=True, text=True, env={"PATH": path, "PYTHONPATH": f"{folder}/a/b"})

            for text in (f"{folder}/gone", "installed from", "nor on PATH", "FMHA950_HOME"):
                self.assertIn(text, found("/nowhere").stderr)
            self.assertEqual(found(folder).stdout.split(), [str(LAUNCHER), str(LAUNCHER.parent)])


if __name__ == "__main__":
    unittest.main()
