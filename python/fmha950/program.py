"""Finds the launcher `fmha950` and starts it."""

import os
import pathlib
import shutil
import subprocess


class Error(ValueError):
    """What the program refused or could not do, in its own words. `exit_code`: docs/results.md; None where nothing was started."""

    def __init__(self, text: str, exit_code: int | None = None):
        super().__init__(text)
        self.exit_code = exit_code


def _checkout():
    """Where the checkout should be, in words and as a folder."""
    here = pathlib.Path(__file__).resolve()
    installed_from = here.with_name("checkout.txt")  # setup.py
    if installed_from.is_file():
        return "the checkout that this package was installed from", pathlib.Path(installed_from.read_text(encoding="utf-8").strip())
    return "the checkout around this package", here.parents[2]


def _is_checkout(folder):
    return (folder / "fmha950").is_file() and (folder / "CMakeLists.txt").is_file()


def launcher() -> pathlib.Path:
    """Path of the launcher: FMHA950_HOME's, else of the checkout or the installation that this is of, else the one on PATH."""
    if home := os.environ.get("FMHA950_HOME"):
        if not _is_checkout(pathlib.Path(home)):
            raise Error(f"FMHA950_HOME = {home}: must be a checkout of fmha950, with the files fmha950 and CMakeLists.txt")
        return pathlib.Path(home) / "fmha950"
    what, folder = _checkout()
    if _is_checkout(folder):
        return folder / "fmha950"
    prefix = pathlib.Path(__file__).resolve().parents[4]
    if (prefix / "share" / "fmha950" / "python").is_dir() and (prefix / "bin" / "fmha950").is_file():
        return prefix / "bin" / "fmha950"
    found = shutil.which("fmha950")
    if found is None:
        raise Error(f"fmha950: is not in {folder} ({what}), nor on PATH: set FMHA950_HOME to the checkout, or install it (docs/install.md)")
    return pathlib.Path(found).resolve()


def share() -> pathlib.Path:
    """Where analysis/ and data/ are: the checkout, or PREFIX/share/fmha950."""
    home = launcher().parent
    return home if (home / "CMakeLists.txt").is_file() else home.parent / "share" / "fmha950"


def start(words, variables=None):
    """Runs `fmha950 WORDS` with `variables` added to the environment: exit code, stdout, and what an Error of it would say."""
    # A call from a notebook installs no packages of the system, and cannot answer a question.
    ran = subprocess.run([launcher(), "--no-install", *map(str, words)], capture_output=True, text=True, check=False,
                         stdin=subprocess.DEVNULL, env={**os.environ, **(variables or {})})
    said = [line.removeprefix("fmha950: ") for line in ran.stderr.splitlines() if line.strip() and not line.startswith("fmha950: building")]
    # The end of it: a build that fails says all that the compiler said.
    return ran.returncode, ran.stdout, "\n".join(said[-20:]) or ran.stdout.strip() or f"fmha950 ended with {ran.returncode}"


# What says how a command answers: the package reads one form.
OWN = frozenset(("help", "impl", "json", "csv", "markdown", "output", "resume", "overwrite", "save"))
REPEATED = ("list", "axis", "load", "expect")  # options whose values have commas of their own, or are names of files
LAST_CODE = 6  # of an end that the program has chosen (docs/results.md)


def case_words(cases):
    """They stand before the options, the last of which would take them for its values."""
    for case in cases:
        if str(case).startswith("-"):
            raise Error(f"case = {case}: must be a case string; options are keywords")
    return cases


def option_words(options, own=OWN):
    """{"min_time": 2, "explain": True, "schedules": ["eager", "lazy"]} -> --min-time 2 --explain --schedules eager,lazy.

    Options of `own` are refused, others are the program's to judge, those that are False, too. None is left out.
    """
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if name in own:
            raise Error(f"option {name}: is not taken here, the package sets {option} itself or has no use for it")
        if value is True:
            words.append(option)
        elif value is False:
            words.append(f"{option}=false")
        elif isinstance(value, (list, tuple)) and name in REPEATED:
            words += [word for each in value for word in (option, str(each))]
        elif isinstance(value, (list, tuple)):
            words += [option, ",".join(map(str, value))]
        elif value is not None:
            words += [option, str(value)]
    return words
