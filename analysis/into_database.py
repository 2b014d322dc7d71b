"""into_database.py HARNESS ARGUMENT...: a command of the harness whose --output FILE.sqlite is a database of results.

The harness writes JSON lines beside it, FILE.jsonl. When it has ended, also by a signal, they are put into the database: with --resume
beside what it holds, else in its place.
"""

import os
import signal
import subprocess
import sys

from database import Database
from records import BadRecord
from results import load

SUFFIX = ".sqlite"
CONFLICT, INVALID_INPUT = 1, 3  # exit codes, docs/results.md


def split(arguments):
    """--option=value as two words."""
    for argument in arguments:
        yield from argument.split("=", 1) if argument.startswith("--output=") else [argument]


def output_of(arguments):
    """Where the database's name is."""
    named = [i + 1 for i, word in enumerate(arguments[:-1]) if word == "--output" and arguments[i + 1].endswith(SUFFIX)]
    return named[-1] if named else None


def state_of(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def run(command):
    """Its exit code, negative for a signal. It has a process group of its own, so that it gets each signal once: from here."""
    child = subprocess.Popen(command, process_group=0)
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, lambda number, _: child.send_signal(number))
    return child.wait()


def put(lines, database, resumes):
    """Says what came; gives the conflicts."""
    if resumes:
        return load(Database(database), [lines])
    beside = f"{database}.new"
    if os.path.exists(beside):
        os.remove(beside)
    conflicts = load(Database(beside), [lines])
    os.replace(beside, database)
    return conflicts


def main(harness, *words):
    arguments = list(split(words))
    at = output_of(arguments)
    if at is None:
        os.execv(harness, [harness, *words])
    database, resumes = arguments[at], "--resume" in arguments
    arguments[at] = lines = database.removesuffix(SUFFIX) + ".jsonl"
    if state_of(database) and not resumes and "--overwrite" not in arguments:
        print(f"fmha950: --output {database}: is there already: --resume adds to it, --overwrite begins it anew", file=sys.stderr)
        return INVALID_INPUT
    before = state_of(lines)
    code = run([harness, *arguments])
    if state_of(lines) and (resumes or state_of(lines) != before):
        try:
            conflicts = put(lines, database, resumes)
            code = code or (CONFLICT if conflicts else 0)
        except (BadRecord, OSError) as error:
            print(f"fmha950: --output {database}: {error}; the results are in {lines}", file=sys.stderr)
            code = code or INVALID_INPUT
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
