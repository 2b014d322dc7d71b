#!/usr/bin/env python3
"""pytest_processes_test.py HARNESS DEVICE_FOLDER CODE_OBJECT...: processes that tests start, report files, and the parts beneath."""
import json
import os
import subprocess
import sys
import unittest

import pytest
import pytest_session
from pytest_session import DEVICE, FILES, OBJECTS, PACKAGE, PROLOGUE, RACE, Sessions

from fmha950 import findings, report_folder  # found by pytest_session


class Processes(Sessions):
    START = f"""
def start(*kernels):
    subprocess.run([sys.executable, "{FILES}/kernels.py", *kernels], check=False)
"""

    def test_what_they_launch_counts(self):
        session = self.run_session(self.START + """
def test_two():
    start("lds_order_bad")
    start("register_in_flight_bad")
def test_clean(): start("lds_order_good")
def test_fault(): start("out_of_bounds_bad")
def test_both():
    launch("lds_order_bad")
    start("lds_order_bad")
@pytest.mark.fmha950(allow="lds_order:hazard_kernels.hip:34")
def test_allowed(): start("lds_order_bad")
""", FMHA950_SCHEDULE="timed")
        self.expect(session, {"test_two": "failure", "test_clean": None, "test_fault": "failure", "test_both": "failure", "test_allowed": None})
        self.assertIn(RACE, session.cases["test_it::test_two"][0][1])
        self.assertIn("error register_in_flight: ", session.cases["test_it::test_two"][0][1])
        self.assertEqual(session.cases["test_it::test_both"][0][1].count(RACE), 2)  # in junit's message and text

    def test_forked_ones_that_are_killed_do_too(self):
        self.expect(self.run_session("""
def test_forked():
    launch("lds_order_good")
    if not os.fork():
        words(launch("lds_order_bad"))
        os.kill(os.getpid(), 9)
    os.wait()
def test_clean():
    launch("lds_order_good")
"""), {"test_forked": "failure", "test_clean": None})

    def test_one_that_outlives_its_test_fails_the_next_phase(self):
        self.expect(self.run_session(f"""
@pytest.fixture(scope="session")
def started():
    child = subprocess.Popen(["sh", "-c", "read line; {sys.executable} {FILES}/kernels.py lds_order_bad"], stdin=subprocess.PIPE)
    yield child
    child.communicate(b"go\\n")
def test_first(started): pass
def test_second(started): pass
"""), {"test_first": None, "test_second": "error"})

    def test_what_is_found_after_the_last_test_fails_the_session(self):
        (self.folder / "conftest.py").write_text(PROLOGUE + "def pytest_runtest_logfinish(nodeid):\n    launch(os.environ['KERNEL'])\n")
        for options in ((), ("-n", "1")):
            for kernel, code in (("lds_order_bad", 1), ("lds_order_good", 0)):
                session = self.run_session("def test_it(): pass\n", *options, KERNEL=kernel)
                self.expect(session, {"test_it": None})
                self.assertEqual(session.exit_code, code, session.text)
                self.assertEqual("found after the last test" in session.text, code == 1, session.text)

    def test_a_report_file_of_the_users_has_all(self):
        for options in ((), ("-n", "2")):
            report = self.folder / "found.jsonl"
            self.run_session(self.START + "def test_a(): launch('lds_order_bad')\ndef test_b(): start('register_in_flight_bad')\n", *options,
                             FMHA950_REPORT="found.jsonl")
            self.assertEqual(sorted(json.loads(line)["hazard"] for line in report.read_text().splitlines()), ["lds_order", "register_in_flight"])
            known = self.run_session("def test_a(): launch('lds_order_bad')\n", *options, FMHA950_BASELINE=str(report))
            self.expect(known, {"test_a": None})

    def test_files_that_will_not_do_are_refused(self):
        for variables, said in (({"FMHA950_REPORT": "found.sarif"}, "FMHA950_REPORT = found.sarif: must be a file of JSON lines"),
                                ({"FMHA950_REPORT": "none/found.jsonl"}, "FMHA950_REPORT = none/found.jsonl: cannot write it: No such file"),
                                ({"FMHA950_SUPPRESS": "nonesuch"}, "FMHA950_SUPPRESS = nonesuch: cannot read it: No such file")):
            session = self.run_session("def test_it(): pass\n", **variables)
            self.assertEqual(session.exit_code, pytest.ExitCode.USAGE_ERROR, session.text)
            self.assertIn(said, session.text)

    def test_the_environment_is_as_before_afterwards(self):
        ran = subprocess.run([sys.executable, "-c", "import os, pytest; before = dict(os.environ); pytest.main(['-p', 'fmha950.pytest', '-q']); "
                              "assert {k: v for k, v in os.environ.items() if 'FMHA950' in k} == {k: v for k, v in before.items() if 'FMHA950' in k}"],
                             cwd=self.folder, env={**os.environ, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


class Parts(unittest.TestCase):
    def test_a_report_is_read_line_by_line_and_may_begin_anew(self):
        folder = report_folder.ReportFolder()
        path = folder.path / "1.jsonl"
        for text, wanted in ((b'{"a": 1}\n{"a": 2}', [{"a": 1}]), (b'{"a": 1}\n{"a": 2}\n', [{"a": 2}]), (b"", []), (b'{"a": 3}\n', [{"a": 3}])):
            path.write_bytes(text)
            self.assertEqual(folder.take(), wanted)
        (folder.path / f"{os.getpid()}.jsonl").write_bytes(b'{"a": 4}\n')
        self.assertEqual((folder.take(), folder.of_others()), ([], {path}))
        folder.close()
        self.assertFalse(folder.path.exists())

    def test_the_gravest_shows_what_shares_a_cause(self):
        note, error = ({"cause": "a", "severity": severity, "count": 2, "pairs": [severity]} for severity in ("note", "error"))
        other = {**note, "cause": "b"}
        for order in ([note, other, error], [error, note, other]):
            first, second = findings.merged(order)
            self.assertEqual((first["severity"], first["count"], sorted(first["pairs"])), ("error", 4, ["error", "note"]))
            self.assertEqual(second, other)
        self.assertEqual(note["count"], 2)
        self.assertEqual(findings.closing_line([error, note, other]), "1 errors, 0 warnings, 2 notes")

    def test_classes_are_those_of_the_device(self):
        ran = subprocess.run([sys.executable, FILES / "kernels.py", "lds_order_good"], capture_output=True, text=True, check=False,
                             env={**os.environ, "LD_LIBRARY_PATH": DEVICE, "FMHA950_TEST_OBJECTS": OBJECTS, "FMHA950_CHECK": "nonesuch"})
        self.assertIn(f"list of {', '.join(findings.CLASSES)}, errors", ran.stderr)


class Imports(unittest.TestCase):
    def test_the_plugin_needs_only_pytest(self):
        ran = subprocess.run([sys.executable, "-c", "import sys, fmha950.pytest; print({'numpy', 'pandas', 'torch'} & set(sys.modules) or 'none')"],
                             env={**os.environ, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, check=False)
        self.assertEqual(ran.stdout, "none\n", ran.stderr)


if __name__ == "__main__":
    pytest_session.main()
