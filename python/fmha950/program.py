"""Finds the launcher `fmha950` and starts it."""

import os
import pathlib
import shutil
import subprocess


class Error(RuntimeError):
    """What the program refused or could not do, in its own words. `exit_code`: docs/results.md; None where nothing was started."""

    def __init__(self, text, exit_code=None):
        super().__init__(text)
        self.exit_code = exit_code


def _checkouts():
    """Where the checkout may be, in words and as a folder."""
    if os.environ.get("FMHA950_HOME"):
        yield "FMHA950_HOME", pathlib.Path(os.environ["FMHA950_HOME"])
        return
    here = pathlib.Path(__file__).resolve()
    installed_from = here.with_name("checkout.txt")  # setup.py
    if installed_from.is_file():
        yield "the checkout that this package was installed from", pathlib.Path(installed_from.read_text(encoding="utf-8").strip())
    else:
        yield "the checkout around this package", here.parents[2]


def launcher():
    """Path of the launcher: FMHA950_HOME's, else of the checkout that this was installed from, else the one on PATH."""
    for what, folder in _checkouts():
        if (folder / "fmha950").is_file() and (folder / "CMakeLists.txt").is_file():
            return folder / "fmha950"
        if what == "FMHA950_HOME":
            raise Error(f"FMHA950_HOME = {folder}: must be a checkout of fmha950, with the files fmha950 and CMakeLists.txt")
    found = shutil.which("fmha950")
    if found is None:
        raise Error(f"fmha950: is not in {folder} ({what}), nor on PATH: set FMHA950_HOME to the checkout, or install it (docs/install.md)")
    return pathlib.Path(found).resolve()


def share():
    """Where analysis/ and data/ are: the checkout, or PREFIX/share/fmha950."""
    home = launcher().parent
    return home if (home / "CMakeLists.txt").is_file() else home.parent / "share" / "fmha950"


def start(words):
    """Runs `fmha950 WORDS`: exit code, stdout, and what an Error of it would say."""
    ran = subprocess.run([launcher(), *map(str, words)], capture_output=True, text=True, check=False)
    said = [line.removeprefix("fmha950: ") for line in ran.stderr.splitlines() if line.strip() and not line.startswith("fmha950: building")]
    return ran.returncode, ran.stdout, "\n".join(said[-3:]) or ran.stdout.strip() or f"fmha950 ended with {ran.returncode}"


def call(words):
    """Runs `fmha950 WORDS` and gives its stdout. Raises Error if it fails."""
    code, output, said = start(words)
    if code != 0:
        raise Error(said, code)
    return output


REPEATED = ("list", "axis", "load", "expect")  # options whose values have commas of their own, or are names of files
LAST_CODE = 6  # of an end that the program has chosen (docs/results.md)


def option_words(options):
    """{"min_time": 2, "explain": True, "schedules": ["eager", "lazy"]} -> --min-time 2 --explain --schedules eager,lazy."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)) and name in REPEATED:
            words += [word for each in value for word in (option, str(each))]
        elif isinstance(value, (list, tuple)):
            words += [option, ",".join(map(str, value))]
        elif value is not False and value is not None:
            words += [option, str(value)]
    return words
