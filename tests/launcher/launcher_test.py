"""launcher_test.py SOURCE HARNESS: the launcher with a cmake, a package manager and a harness that note down their arguments.

The harness then does what it is asked, but for the calibration, which takes long and is of no matter here.
"""

import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, HARNESS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
CASE = "batch_prefill/h=1:1/sq=16/sk=64/d=128/q=fp8/kv=fp8/quant=tensor"
STUBS = {
    "dpkg-query": "echo installed",
    "cmake": 'printf "%s\\n" "cmake $*" >>"$LOG"',
    "harness": f'printf "%s\\n" "harness $*" >>"$LOG"\ncase "$*" in *--calibration*) exit 1 ;; esac\nexec {shlex.quote(str(HARNESS))} "$@"',
    "silent harness": 'printf "%s\\n" "harness $*" >>"$LOG"',
}


def write_stub(path, name):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{STUBS[name]}\n")
    path.chmod(0o755)


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.log = pathlib.Path(folder.name), pathlib.Path(folder.name) / "log"
        shutil.copy(SOURCE / "fmha950", self.root)
        for part in (SOURCE / "CMakeLists.txt", SOURCE / "analysis", *SOURCE.glob("impl_*")):
            (self.root / part.name).symlink_to(part)
        (self.root / "build").mkdir()
        (self.root / "build" / "code_objects").symlink_to(HARNESS.parent.parent / "code_objects")
        for name in ("dpkg-query", "cmake"):
            write_stub(self.root / "stubs" / name, name)

    def calls(self, harness, *words):
        """The lines that were noted, and what was said."""
        write_stub(self.root / "build" / "bin" / "fmha950-harness", harness)
        self.log.write_text("")
        ran = subprocess.run([self.root / "fmha950", "--no-install", *words], cwd=self.root, capture_output=True, text=True, check=False,
                             env={"PATH": f"{self.root}/stubs:/usr/bin:/bin", "LOG": str(self.log)})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return self.log.read_text().splitlines(), ran.stderr

    def targets(self, *words):
        lines, _ = self.calls("silent harness", *words)
        self.assertEqual([lines[0], lines[-1]], ["cmake --preset default", "harness " + " ".join(words)])
        built = lines[1].removeprefix("cmake --build --preset default --target ").split()
        self.assertEqual(built[:2], ["fmha950_harness", "source_commit"])
        return built[2:]

    def test_mutants_are_built_of_what_is_judged_alone(self):
        for words, targets in {
                "--mutants --impl fused": ["mutants_fused"],
                "--mutants --impl=fused": ["mutants_fused"],
                "--mutants --impl fused,fused_software": ["mutants_fused", "mutants_fused_software"],
                "--impl prepass --mutants --filter wait": ["mutants_prepass"],
                "--mutants --page fused_software": ["mutants_fused_software"],
                "--mutants --page prepass_attention_bf16": [],  # a code object: its ISA mutants need no build
                "--mutants --full --page prepass_attention_bf16": [],
                "--mutants --impl fused --page prepass": ["mutants_fused", "mutants_prepass"],
                "--mutant no_wait --impl fused": ["mutants_fused"],
        }.items():
            self.assertEqual(self.targets("probe", *words.split()), targets, words)

    def test_all_mutants_are_built_where_any_may_be_judged(self):
        for words in ("--mutants", "--mutants --impl all", "--mutants --impl=auto", "--mutants --filter wait", "--mutants --full"):
            self.assertEqual(self.targets("probe", *words.split()), ["mutants"], words)

    def test_what_judges_no_mutants_builds_none(self):
        self.assertEqual(self.targets("probe", "--impl", "fused"), [])
        self.assertEqual(self.targets("accuracy", CASE), [])

    def test_what_stands_in_for_rocm_is_built_and_the_doctor_builds_nothing(self):
        for script in ("clients/rocm/tree.py", "clients/doctor/doctor.py"):
            (self.root / script).parent.mkdir(parents=True)
            (self.root / script).write_text("import os, sys\nprint(sys.argv[0], sys.argv[3:], file=open(os.environ['LOG'], 'a'))\n")
        lines, _ = self.calls("silent harness", "device", "doctor", "--json")
        self.assertEqual(lines, [f"{self.root}/clients/doctor/doctor.py ['{self.root}', '--json']"])
        tree = f"{self.root}/clients/rocm/tree.py ['--quiet']"
        lines, _ = self.calls("silent harness", "device", "rocm-path", "--quiet")
        self.assertEqual(lines, ["cmake --preset default", "cmake --build --preset default --target amdhip64", tree])
        (self.root / "build/lib/device").mkdir(parents=True)
        (self.root / "build/lib/device/libamdhip64.so").write_text("")
        self.assertEqual(self.calls("silent harness", "device", "rocm-path", "--quiet")[0], [tree])

    def test_device_python_builds_the_device_alone_and_once(self):
        script = self.root / "clients/device_python/run.sh"
        script.parent.mkdir(parents=True)
        script.write_text('echo "run.sh ${*:1:3} ${4%-*} ${*:5}" >>"$LOG"\n')
        run = f"run.sh {self.root}/build/lib/device {self.root}/build/bin/fmha950-harness {self.root}/python:{self.root}/clients/python clang --perf -c pass"
        lines, _ = self.calls("silent harness", "device", "python", "--perf", "-c", "pass")
        self.assertEqual(lines, ["cmake --preset default", "cmake --build --preset default --target amdhip64", run])
        (self.root / "build/lib/device").mkdir(parents=True)
        (self.root / "build/lib/device/libamdhip64.so").write_text("")
        self.assertEqual(self.calls("silent harness", "device", "python", "--perf", "-c", "pass")[0], [run])

    def test_report_assumes_in_every_model_and_nowhere_else(self):
        lines, said = self.calls("harness", "report", CASE, "--impl", "prepass", "--assume=cold,tlb", "--assume", "dma64", "--output", "page.html")
        asked = [line.split()[1:] for line in lines if line.startswith("harness ")]
        self.assertEqual({words[0] for words in asked}, {"perf", "device", "trace", "probe"})
        for words in asked:
            assumed = [value for word, value in zip(words, words[1:]) if word == "--assume"]
            self.assertEqual(",".join(assumed), "cold,tlb,dma64" if words[0] in ("perf", "trace") else "", words)
        self.assertEqual([line for line in said.splitlines() if ": no " in line], ["fmha950: no calibration"])
        record = json.loads((self.root / "page" / "perf.jsonl").read_text())
        self.assertIn("--assume", record["reproduce"])
        self.assertIn("--assume", (self.root / "page.html").read_text())

    def timings(self):
        """A file of FMHA950_TIMING_REPORT: the harness itself is a program with launches."""
        path = self.root / "timings.jsonl"
        subprocess.run([HARNESS, "run", CASE, "--impl", "prepass", "--no-isolate"], check=True, capture_output=True,
                       env={"PATH": "/usr/bin:/bin", "FMHA950_TIMING_REPORT": str(path)})
        return path

    def test_report_of_a_program_s_launches_models_no_case(self):
        self.timings()
        lines, said = self.calls("harness", "report", "--timings", "timings.jsonl", "--output", "page.html")
        self.assertEqual([line for line in lines if line.startswith("harness ")], ["harness device timings --json timings.jsonl"])
        page = (self.root / "page.html").read_text()
        self.assertIn("Launches of a program, modelled", page)
        self.assertIn("report --timings timings.jsonl --output page.html, which runs", page)
        self.assertEqual(said.splitlines()[-1], "fmha950: report: page.html (made from page)")

    def test_report_of_a_case_and_a_program_s_launches(self):
        self.timings()
        self.calls("harness", "report", CASE, "--impl", "prepass", "--timings=timings.jsonl", "--output", "page.html")
        page = (self.root / "page.html").read_text()
        for part in ("Launches of a program, modelled", "The model and its error", "Accuracy"):
            self.assertIn(part, page)

    def test_results_of_launches(self):
        path = self.timings()
        lines, said = self.calls("harness", "results", "launches", "timings.jsonl", "--to", "launches.sqlite")
        self.assertEqual(lines, ["cmake --preset default", "cmake --build --preset default --target fmha950_harness", "harness device timings --json timings.jsonl"])
        launches = len(path.read_text().splitlines())
        self.assertEqual(said.splitlines()[-1], f"timings.jsonl: {launches} launches")
        self.assertTrue((self.root / "launches.sqlite").is_file())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
