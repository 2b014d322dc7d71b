#!/usr/bin/env python3
"""pytest_options_test.py HARNESS DEVICE_FOLDER CODE_OBJECT...: schedules, and what a marker allows to a test."""
import pytest_session
from pytest_session import FILES, SUPPRESSED, Sessions


class Schedules(Sessions):
    TEXT = """
@pytest.mark.parametrize("n", [1, 2])
def test_it(n, fmha950_schedule):
    words(launch("lds_order_good"))
    child = "import os; print(os.environ['FMHA950_SCHEDULE'])"
    assert subprocess.check_output([sys.executable, "-c", child], text=True).strip() == fmha950_schedule.replace("+", ",")
def test_first_word():
    # Under eager wave 0 reads LDS before wave 1 has written it.
    assert words(launch("lds_order_bad"))[0] == 127
"""

    def test_each_test_runs_once_under_each(self):
        session = self.run_session(self.TEXT, "--fmha950-schedules", "timed,eager,eager+starve:0", FMHA950_CHECK="none")
        schedules = ("timed", "eager", "eager+starve:0")
        self.expect(session, {**{f"test_it[{n}-{schedule}]": None for n in (1, 2) for schedule in schedules}, "test_first_word[timed]": None,
                              "test_first_word[eager]": "failure", "test_first_word[eager+starve:0]": None})

    def test_without_them_it_is_the_environments(self):
        self.expect(self.run_session(self.TEXT, FMHA950_CHECK="none", FMHA950_SCHEDULE="eager"),
                    {"test_it[1]": None, "test_it[2]": None, "test_first_word": "failure"})

    def test_of_wrong_ones_the_device_says_what_is_right(self):
        self.expect(self.run_session("def test_it(): words(launch('lds_order_good'))\ndef test_next(): pass\n", "--fmha950-schedules=eager,egaer"),
                    {"test_it[eager]": None, "test_it[egaer]": "error", "test_next[eager]": None, "test_next[egaer]": "error"},
                    "schedule = egaer: ")
        self.expect(self.run_session("def test_it(): words(launch('lds_order_good'))\n", "--fmha950-schedules=egaer"),
                    {"test_it[egaer]": "failure error"},
                    "FMHA950_SCHEDULE = egaer: ")

    def test_what_cannot_be_repeated_is_said(self):
        session = self.run_session("""
def clean():
    '''
    >>> words(launch("lds_order_good"))[0]
    127
    '''
def racy():
    '''
    >>> pointer = launch("lds_order_bad")
    '''
class TestOld(unittest.TestCase):
    def test_it(self): launch('lds_order_good')
""", "--doctest-modules", "--fmha950-schedules=eager,lazy")
        once = ("test_it.TestOld::test_it", "test_it.clean", "test_it.racy")
        self.expect(session, dict(zip(once, (None, None, "failure"))))
        self.assertEqual(session.text.count("is no test function, and runs once"), 3, session.text)


class Marker(Sessions):
    def test_a_finding_is_allowed_to_a_test_and_to_no_other(self):
        session = self.run_session(f"""
@pytest.mark.fmha950(allow="lds_order:hazard_kernels.hip:34")
def test_line(): launch("lds_order_bad")
@pytest.mark.fmha950(allow=["*:lds_order_bad+0x1c", "lds_order:{SUPPRESSED}"])
def test_offset(): launch("lds_order_bad")
def test_other(): launch("lds_order_bad")
@pytest.mark.fmha950(allow="memory_order:hazard_kernels.hip:34")
def test_class(): launch("lds_order_bad")
""")
        self.expect(session, {"test_line": None, "test_offset": None, "test_other": "failure", "test_class": "failure"})

    def test_what_is_of_no_use_is_said(self):
        text = """
@pytest.mark.fmha950(allow=["lds_order:hazard_kernels.hip:34", "lds_order:hazard_kernels.hip:1"])
def test_it(): launch("{}")
"""
        said = "fmha950(allow='lds_order:hazard_kernels.hip:{}') of test_it.py::test_it: the test has no such finding"
        session = self.run_session(text.format("lds_order_bad"))
        self.expect(session, {"test_it": None}, said.format(1))
        self.assertNotIn(said.format(34), session.text)
        self.expect(self.run_session(text.format("lds_order_good")), {"test_it": None}, said.format(1), said.format(34))
        self.expect(self.run_session(text.format("lds_order_good"), "-W", "error"), {"test_it": "error"}, said.format(1))

    def test_a_whole_file_may_be_allowed_something(self):
        session = self.run_session("""
pytestmark = pytest.mark.fmha950(allow="lds_order:hazard_kernels.hip:34")
def test_clean(): launch("lds_order_good")
def test_racy(): launch("lds_order_bad")
def test_other(): launch("register_in_flight_bad")
""")
        self.expect(session, {"test_clean": None, "test_racy": None, "test_other": "failure"})
        self.assertNotIn("has no such finding", session.text)

    def test_of_other_processes_nobody_knows_what_was_of_use(self):
        session = self.run_session(f"""
def test_before(): subprocess.run([sys.executable, "{FILES}/kernels.py", "lds_order_good"], check=True)
@pytest.mark.fmha950(allow="lds_order:a.hip:1")
def test_unused(): launch("lds_order_good")
@pytest.mark.fmha950(allow="lds_order:a.hip:2")
def test_unknown(): subprocess.run([sys.executable, "{FILES}/kernels.py", "lds_order_good"], check=True)
""")
        self.expect(session, {"test_before": None, "test_unused": None, "test_unknown": None}, "allow='lds_order:a.hip:1') of")
        self.assertNotIn("allow='lds_order:a.hip:2') of", session.text)

    def test_what_is_malformed_is_said(self):
        for arguments, wrong in (("allow='lds_order'", "allow='lds_order'): must be CLASS:FILE:LINE"),
                                 ("'lds_order:a.hip:1'", "must be fmha950(allow=...)"), ("allow=3", "with a text or a list"),
                                 ("allow='ldsorder:a.hip:3'", "class ldsorder must be one of register_in_flight, ")):
            self.expect(self.run_session(f"@pytest.mark.fmha950({arguments})\ndef test_it(): launch('lds_order_good')\ndef test_next(): pass\n"),
                        {"test_it": "error", "test_next": None}, wrong)

    def test_the_users_own_suppressions_stay(self):
        (self.folder / "accepted").write_text("lds_order hazard_kernels.hip:34 known\n")
        self.expect(self.run_session("""
@pytest.mark.fmha950(allow="out_of_bounds:hazard_kernels.hip:1")
def test_it(): launch("lds_order_bad")
def test_next(): launch("lds_order_bad")
def test_visible(): launch("register_in_flight_bad")
""", FMHA950_SUPPRESS="accepted"), {"test_it": None, "test_next": None, "test_visible": "failure"})


if __name__ == "__main__":
    pytest_session.main()
