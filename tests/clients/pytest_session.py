"""Sessions of pytest with -p fmha950.pytest, for tests that are called with HARNESS DEVICE_FOLDER CODE_OBJECT... Ends them with 77 where
there is no pytest, pytest-xdist and pytest-rerunfailures."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

try:
    import pytest  # noqa: F401
    import pytest_rerunfailures  # noqa: F401
    import xdist  # noqa: F401
except ImportError as error:
    print(f"skipped: {error} (apt-get install python3-pytest python3-pytest-xdist python3-pytest-rerunfailures)")
    sys.exit(77)

HARNESS, DEVICE, *OBJECTS = map(os.path.abspath, sys.argv[1:])
OBJECTS = ":".join(OBJECTS)
HERE = pathlib.Path(__file__).resolve().parent
FILES = HERE / "pytest_files"
PACKAGE = HERE.parents[1] / "python"
sys.path.insert(0, str(PACKAGE))

PROLOGUE = """
import os, subprocess, sys, time, unittest
import pytest
from fmha950.pytest import DeviceFailure
from kernels import call, hip, launch, words
"""
RACE, SUPPRESSED = "error lds_order: ", "tests/observe/hazard_kernels.hip:34"


class Session:
    def __init__(self, folder, files, *options, plugin=("-p", "fmha950.pytest"), **variables):
        for name, text in files.items():
            (folder / name).write_text(PROLOGUE + text)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("FMHA950_", "PYTEST_"))}
        environment |= {"LD_LIBRARY_PATH": DEVICE, "PYTHONPATH": f"{PACKAGE}:{FILES}", "PYTHONDONTWRITEBYTECODE": "1",
                        "FMHA950_TEST_OBJECTS": OBJECTS, "FMHA950_QUIET": "1", **variables}
        ran = subprocess.run([sys.executable, "-m", "pytest", *plugin, "--junitxml=seen.xml", *options], cwd=folder,
                             env=environment, capture_output=True, text=True, check=False, timeout=300)
        self.exit_code, self.text = ran.returncode, ran.stdout + ran.stderr
        self.cases = {}  # "file::name": [("failure", text), ...]; none for what passed
        seen = folder / "seen.xml"
        for case in ElementTree.parse(seen).iter("testcase") if seen.exists() else ():
            key = f"{case.get('classname')}::{case.get('name')}".removeprefix("::")
            # One that fails in its call and in its teardown is there twice.
            self.cases.setdefault(key, []).extend((each.tag, f"{each.get('type')} {each.get('message')} {each.text}") for each in case
                                                  if each.tag in ("failure", "error", "skipped"))


class Sessions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fmha950_pytest_test_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_session(self, text, *options, **variables):
        return Session(self.folder, {"test_it.py": text}, *options, **variables)

    def expect(self, session, outcomes, *texts):
        """Outcomes: {"name": "failure", ...} of test_it.py, None for passed."""
        found = {name.removeprefix("test_it::"): [tag for tag, _ in tags] for name, tags in session.cases.items()}
        wanted = {name: tags.split() if tags else [] for name, tags in outcomes.items()}
        self.assertEqual(found, wanted, session.text)
        for text in texts:
            self.assertIn(text, session.text)
        self.assertNotIn("INTERNALERROR", session.text)


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)
