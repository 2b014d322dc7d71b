"""Results as pandas frames, flattened by analysis/database.py as `fmha950 results` does."""

import functools
import importlib
import pathlib
import sys
import tempfile

import pandas

from fmha950.program import LAST_CODE, Error, option_words, share, start


@functools.cache
def _database():
    """The module analysis/database.py, beside whatever the caller has of that name."""
    folder = share() / "analysis"
    names = ("records", "database")  # the second one imports the first
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("database")
    except ImportError as error:
        raise Error(f"{folder}: must hold database.py, as a checkout or an installation does: {error}") from error
    finally:
        sys.path.remove(str(folder))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(others)


def results(files, where=None):
    """A row for each record of JSON lines (`--output`) or databases (`results --to`); columns: docs/results.md.

    `where`: a condition in SQL. Records that stand in several files are taken once; of those in conflict the first.
    """
    module = _database()
    database = module.Database()
    try:
        for path in [files] if isinstance(files, (str, pathlib.Path)) else files:
            database.add_file(str(path))
        rows = [module.columns_of(record) for record in database.records(where)]
    except module.BadRecord as error:
        raise Error(str(error)) from error
    return pandas.DataFrame(rows)


def _run(command, cases, impl, options):
    """Failures are rows, too: their column `outcome` says so."""
    cases = [cases] if isinstance(cases, str) else list(cases)
    if not cases and not options.get("list") and not options.get("load"):
        raise Error("cases: must be case strings, or list= the name of a case list, or load= a case folder")
    names = impl if isinstance(impl, str) else ",".join(impl)
    with tempfile.TemporaryDirectory(prefix="fmha950_") as folder:
        path = pathlib.Path(folder) / "results.jsonl"
        code, _, said = start([command, *cases, "--impl", names, "--output", path, "--json", *option_words(options)])
        if not 0 <= code <= LAST_CODE:
            raise Error(f"the run did not come to its end: {said}", code)
        if not path.is_file() or path.stat().st_size == 0:
            raise Error(said, code)  # nothing was run
        return results(path)


def accuracy(cases=(), impl="auto", **options):
    """`fmha950 accuracy`: errors against the float64 oracle, and verdicts. Options with _ for -: oracle_rows=16, list="gaps"."""
    return _run("accuracy", cases, impl, options)


def perf(cases=(), impl="auto", **options):
    """`fmha950 perf`: columns modelled_* on the embedded device, measured_* on a GPU; units: docs/results.md."""
    return _run("perf", cases, impl, options)


def compare(cases=(), impl="all", **options):
    """`fmha950 compare`: as accuracy, with perf=True also as perf."""
    return _run("compare", cases, impl, options)
