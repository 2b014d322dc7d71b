"""Results as pandas frames, flattened by analysis/database.py as `fmha950 results` does."""

import functools
import importlib
import os
import pathlib
import sys
import tempfile
import warnings
from collections.abc import Iterable

import pandas

from fmha950.program import LAST_CODE, Error, case_words, option_words, share, start

Path = str | os.PathLike
KEPT = ("identity", "result", "record")  # columns of the table alone, by which the database knows a record


@functools.cache
def _database(folder):
    """The module database.py of a folder analysis/. Its name and that of records.py are left to the caller's own modules."""
    names = ("database", "records")
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("database")
    except ImportError as error:
        raise Error(f"{folder}: must hold database.py, as a checkout or an installation does: {error}") from error
    finally:
        sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(others)


def results(files: Path | Iterable[Path], where: str | None = None) -> pandas.DataFrame:
    """A row for each record of JSON lines (`--output`) or databases (`results --to`); columns: docs/results.md, "As a database".

    `where`: a condition in SQL. Records that stand in several files are taken once; of those in conflict the first, with a warning.
    """
    module = _database(str(share() / "analysis"))
    database = module.Database()
    try:
        for path in [files] if isinstance(files, Path) else files:
            for conflict in database.add_file(os.fspath(path)).conflicts:
                warnings.warn(f"conflict: {conflict}: same command and environment, another result; the first one stays", stacklevel=2)
        rows = [module.columns_of(record) for record in database.records(where)]
    except module.BadRecord as error:
        raise Error(str(error)) from error
    return pandas.DataFrame(rows, columns=None if rows else [name for name in database.columns() if name not in KEPT])


def _run(command, cases, impl, options):
    cases = [cases] if isinstance(cases, str) else list(cases)
    if not cases and not options.get("list") and not options.get("load"):
        raise Error("cases: must be case strings, or list= the name of a case list, or load= a case folder")
    names = impl if isinstance(impl, str) else ",".join(impl)
    with tempfile.TemporaryDirectory(prefix="fmha950_") as folder:
        path = pathlib.Path(folder) / "results.jsonl"
        code, _, said = start([command, *case_words(cases), "--impl", names, "--output", path, "--json", *option_words(options)])
        if not 0 <= code <= LAST_CODE:
            raise Error(f"the run did not come to its end: {said}", code)
        if not path.is_file() or path.stat().st_size == 0:
            raise Error(said, code)  # nothing was run
        return results(path)


def accuracy(cases: str | Iterable[str] = (), impl: str | Iterable[str] = "auto", **options) -> pandas.DataFrame:
    """`fmha950 accuracy`: errors against the float64 oracle, and verdicts: a row for each result, failures too (column `outcome`).

    Options are those of the command, with _ for -: oracle_rows=16, list="gaps", load=FOLDER. Errors are in the output's own
    units, `accuracy_*_relative_l2` relative to the oracle.
    """
    return _run("accuracy", cases, impl, options)


def perf(cases: str | Iterable[str] = (), impl: str | Iterable[str] = "auto", **options) -> pandas.DataFrame:
    """`fmha950 perf`: as accuracy, and speeds: columns modelled_* on the embedded device, measured_* on a GPU.

    Units stand in docs/results.md: `modelled_seconds`, `modelled_tflops` (10^12 FLOP a second), `modelled_clocks` of the GPU.
    """
    return _run("perf", cases, impl, options)


def compare(cases: str | Iterable[str] = (), impl: str | Iterable[str] = "all", **options) -> pandas.DataFrame:
    """`fmha950 compare`: as accuracy, of all implementations and the reference; with perf=True also as perf."""
    return _run("compare", cases, impl, options)
