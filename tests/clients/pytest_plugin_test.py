#!/usr/bin/env python3
"""pytest_plugin_test.py HARNESS DEVICE_FOLDER CODE_OBJECT...: what fails, at whom, and what must not."""
import os
import subprocess
import sys

import pytest_session
from pytest_session import DEVICE, FILES, HARNESS, OBJECTS, PROLOGUE, RACE, Session, Sessions


class Findings(Sessions):
    def test_of_two_files_the_racy_one_fails_by_name(self):
        for options in ((), ("-n", "2")):
            session = Session(self.folder, {}, *options, str(FILES))
            self.assertEqual({name: [tag for tag, _ in tags] for name, tags in session.cases.items()},
                             {"test_clean::test_reversed": [], "test_racy::test_reversed": ["failure"], "test_racy::test_needs_no_device": []},
                             session.text)
            self.assertRegex(session.text, r"FAILED .*test_racy.py::test_reversed")
            self.assertIn(RACE, session.text)
            self.assertEqual(session.exit_code, 1)

    def test_the_text_is_that_of_watch_which_finds_the_same(self):
        watch = [HARNESS, "device", "watch", sys.executable, FILES / "kernels.py", "lds_order_bad"]
        variables = {"FMHA950_CHECK": "errors", "FMHA950_DEVICE_DIR": DEVICE, "FMHA950_TEST_OBJECTS": OBJECTS, "FMHA950_SCHEDULE": "timed"}
        seen = subprocess.run(watch, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
        self.assertEqual(seen.returncode, 2, seen.stderr)
        session = self.run_session("def test_it():\n    words(launch('lds_order_bad'))\n", FMHA950_SCHEDULE="timed")
        self.expect(session, {"test_it": "failure"}, seen.stdout.strip())
        self.assertIn(RACE, seen.stdout)
        self.assertNotIn("hazard lds_order", session.text)  # what the device says on stderr when nobody asks

    def test_the_library_is_seen_however_it_was_loaded(self):
        for name in ("libamdhip64.so", "libamdhip64.so.7"):
            session = self.run_session("def test_it(): launch('lds_order_bad')\n", LD_LIBRARY_PATH="", FMHA950_TEST_LIBRARY=f"{DEVICE}/{name}")
            self.expect(session, {"test_it": "failure"}, RACE)

    def test_each_phase_fails_for_what_it_launched_without_waiting_for_it(self):
        session = self.run_session("""
@pytest.fixture
def before():
    launch("lds_order_bad")
@pytest.fixture
def after():
    yield
    launch("lds_order_bad")
def test_setup(before): pass
def test_call(): launch("lds_order_bad")
def test_teardown(after): pass
def test_clean(): launch("lds_order_good")
""")
        self.expect(session, {"test_setup": "error", "test_call": "failure", "test_teardown": "error", "test_clean": None})
        self.assertIn("failed on setup with", session.cases["test_it::test_setup"][0][1])
        self.assertIn("failed on teardown with", session.cases["test_it::test_teardown"][0][1])

    def test_a_wider_fixture_fails_its_first_test_alone_also_when_that_is_run_again(self):
        text = """
@pytest.fixture(scope="session")
def model():
    launch("lds_order_bad")
def test_first(model): pass
def test_second(model): pass
@pytest.fixture(scope="module")
def clean():
    launch("lds_order_good")
def test_third(model, clean): pass
"""
        outcomes = {"test_first": "error", "test_second": None, "test_third": None}
        self.expect(self.run_session(text), outcomes)
        self.expect(self.run_session(text, "--reruns", "1"), outcomes, "1 rerun")

    def test_a_warning_fails_nobody(self):
        text = "def test_it():\n    words(launch('clamped_atomic_bad'))\n"
        self.expect(self.run_session(text, "-rP"), {"test_it": None})
        session = self.run_session(text, "-rP", FMHA950_CHECK="all")
        self.expect(session, {"test_it": None}, "fmha950 call", "warning errata: ", "0 errors, 1 warnings, 0 notes")
        self.assertEqual(session.exit_code, 0)

    def test_none_is_no_check(self):
        self.expect(self.run_session("def test_it(): launch('lds_order_bad')\n", FMHA950_CHECK="none"), {"test_it": None}, "checks none")

    def test_a_test_that_fails_itself_keeps_its_own_reason(self):
        session = self.run_session("""
def test_wrong():
    launch("lds_order_bad")
    assert 1 == 2
class TestOld(unittest.TestCase):
    def test_wrong(self):
        launch("lds_order_bad")
        self.assertEqual(1, 2)
    def test_racy(self):
        launch("lds_order_bad")
""")
        self.expect(session, {"test_wrong": "failure", **{f"test_it.TestOld::test_{name}": "failure" for name in ("wrong", "racy")}},
                    "assert 1 == 2", "AssertionError: 1 != 2", "fmha950 call")
        self.assertEqual(session.text.count(RACE), 3)

    def test_a_skip_hides_nothing(self):
        self.expect(self.run_session("""
def test_racy():
    launch("lds_order_bad")
    pytest.skip("too late")
def test_clean():
    launch("lds_order_good")
    pytest.skip("a reason")
"""), {"test_racy": "failure", "test_clean": "skipped"})

    def test_a_file_that_launches_when_it_is_imported(self):
        session = Session(self.folder, {"test_a.py": "def test_it(): pass\n", "test_b.py": "launch('lds_order_bad')\ndef test_it(): pass\n"},
                          "--continue-on-collection-errors")
        self.assertEqual({name: [tag for tag, _ in tags] for name, tags in session.cases.items()},
                         {"test_b": ["error"], "test_a::test_it": []}, session.text)
        self.assertIn(RACE, session.text)

    def test_a_conftest_that_launches_fails_the_first_test_alone(self):
        (self.folder / "conftest.py").write_text(PROLOGUE + "launch('lds_order_bad')\n")
        for options in ((), ("--reruns", "1")):
            self.expect(self.run_session("def test_it(): pass\ndef test_next(): pass\n", *options), {"test_it": "error", "test_next": None}, RACE)

    def test_a_conftest_may_name_the_plugin(self):
        (self.folder / "conftest.py").write_text("pytest_plugins = ['fmha950.pytest']\n")
        text = "def test_it(): launch('lds_order_bad')\ndef test_next(): pass\n"
        self.expect(self.run_session(text, plugin=()), {"test_it": "failure", "test_next": None}, "checks errors")

    def test_a_session_without_a_launch_says_that_nothing_was_checked(self):
        for options in ((), ("-n", "2")):
            said = "nothing was checked"
            self.assertIn(said, self.run_session("def test_it(): pass\n", *options).text)
            self.assertNotIn(said, self.run_session("def test_it(): launch('lds_order_good')\n", *options).text)
            other = "def test_it(): subprocess.run([sys.executable, '{}/kernels.py', 'lds_order_good'], check=True)\n"
            self.assertNotIn(said, self.run_session(other.format(FILES), *options).text)


class Faults(Sessions):
    TEXT = """
def test_strays():
    launch("out_of_bounds_bad")
def test_goes_on():
    assert words(launch("lds_order_good"))[0] == 127
    assert hip().hipGetLastError() == 0
def test_strays_and_sees_it():
    words(launch("out_of_bounds_bad"))
def test_goes_on_again():
    assert words(launch("lds_order_good"))[0] == 127
"""

    def test_a_fault_fails_its_test_and_no_later_one(self):
        for check in ("errors", "none"):
            session = self.run_session(self.TEXT, FMHA950_CHECK=check)
            self.expect(session, {"test_strays": "failure", "test_goes_on": None, "test_strays_and_sees_it": "failure",
                                  "test_goes_on_again": None}, "outside every allocation")
            self.assertIn("outside every allocation", session.cases["test_it::test_strays"][0][1])
            self.assertIn("hipMemcpy: ", session.cases["test_it::test_strays_and_sees_it"][0][1])

    def test_without_the_plugin_it_does(self):
        session = self.run_session(self.TEXT, "-p", "no:fmha950.pytest")
        self.assertEqual([tag for tag, _ in session.cases["test_it::test_goes_on"]], ["failure"], session.text)

    def test_a_test_that_wants_a_fault(self):
        self.expect(self.run_session("""
@pytest.mark.fmha950(allow="out_of_bounds:hazard_kernels.hip:73")
def test_it():
    with pytest.raises(RuntimeError):
        words(launch("out_of_bounds_bad"))
    hip().hipDeviceReset()
"""), {"test_it": None})


class Outcomes(Sessions):
    def test_an_expected_failure_is_one(self):
        session = self.run_session("""
@pytest.mark.xfail
def test_racy(): launch("lds_order_bad")
@pytest.mark.xfail(raises=DeviceFailure, strict=True)
def test_of_this_kind(): launch("lds_order_bad")
@pytest.mark.xfail(raises=ValueError)
def test_of_another_kind(): launch("lds_order_bad")
@pytest.mark.xfail(strict=True)
def test_clean(): launch("lds_order_good")
""")
        self.expect(session, {"test_racy": "skipped", "test_of_this_kind": "skipped", "test_of_another_kind": "failure", "test_clean": "failure"},
                    "2 failed, 2 xfailed")

    def test_a_test_is_run_again_and_judged_anew(self):
        text = """
runs = []
def test_it():
    runs.append(0)
    launch("lds_order_good" if len(runs) == 2 else "lds_order_bad")
"""
        self.expect(self.run_session(text, "--reruns", "1"), {"test_it": None}, "1 passed, 1 rerun")
        self.expect(self.run_session("def test_it(): launch('lds_order_bad')\n", "--reruns", "2"), {"test_it": "failure"}, "1 failed, 2 rerun")

    def test_last_failed_are_those_with_findings(self):
        text = "def test_racy(): launch('lds_order_bad')\ndef test_clean(): launch('lds_order_good')\n"
        self.assertEqual(self.run_session(text).exit_code, 1)
        again = self.run_session(text, "--lf")
        self.expect(again, {"test_racy": "failure"})

    def test_workers_have_devices_of_their_own(self):
        text = "\n".join(f"def test_{i}(): words(launch('{'out_of_bounds_bad' if i % 3 == 0 else 'lds_order_good'}'))" for i in range(9))
        self.expect(self.run_session(text, "-n", "3"), {f"test_{i}": "failure" if i % 3 == 0 else None for i in range(9)})


if __name__ == "__main__":
    pytest_session.main()
