#!/usr/bin/env python3
"""sweep_test.py HARNESS VENV: sweeps of this machine's processes, of a Dask scheduler and of a Slurm that is none, disturbed in every way
that a sweep must bear, have the records of one undisturbed run, each once. Exits with 77 where PyPI is out of reach."""

import contextlib
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import types

from sweep_bench import SOURCE, Bench, parent_of, until

sys.path[:0] = [str(SOURCE / "clients/sweep"), str(SOURCE / "analysis")]
import progress
import shard_store
from records import BadRecord

HARNESS, VENV = map(pathlib.Path, sys.argv[1:])
SELECTION = ("--list", "gaps", "--filter", "layout=vectorized/page=(32|64)")
OPTIONS = ("--impl", "baseline,prepass", "--threads", "1", "--schedules", "eager,lazy,random:1")
SHARDS = 8


def killed_worker(bench, right):
    process = bench.sweep("local:3", "killed.sqlite", SHARDS)
    pid, part = until(lambda: bench.running_shard(process), "shard that runs")
    os.kill(pid, signal.SIGSTOP)  # it does not come to its end before
    os.kill(parent_of(pid), signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{pid}"), f"end of the killed worker's harness {pid}")
    shard = part.split("/")[0]
    bench.expect(process, 0, f"is gone; again, elsewhere: shard {shard}", f"{SHARDS} shards, {SHARDS} of them missing", "0 failed")
    assert bench.runs(shard, SHARDS) == 2, bench.log.read_text(encoding="utf-8")
    assert bench.records("killed.sqlite") == right


def interrupted(bench, right):
    process = bench.sweep("local:1", "interrupted.sqlite", SHARDS)

    def rows():
        with contextlib.suppress(sqlite3.Error), sqlite3.connect(f"file:{bench.folder}/interrupted.sqlite?mode=ro", uri=True) as database:
            return database.execute("select count(*) from shards").fetchone()[0]
        return 0

    until(rows, "shard in the database")
    pid = until(lambda: bench.running_shard(process), "shard that runs")[0]
    os.kill(pid, signal.SIGSTOP)  # the sweep does not come to its end before
    refused = bench.sweep("local:1", "interrupted.sqlite", SHARDS, output="second")
    refused.wait()
    assert refused.returncode == 3 and f"another sweep writes it: process {process.pid} on" in bench.said("second"), bench.said("second")
    os.killpg(process.pid, signal.SIGINT)
    bench.expect(process, -signal.SIGINT, "interrupted (Interrupt)", "shards are missing; the same command goes on")
    assert "Traceback" not in bench.said(), bench.said()
    until(lambda: not os.path.exists(f"/proc/{pid}"), f"end of the harness {pid}")
    kept = len(bench.records("interrupted.sqlite"))
    assert 0 < kept < len(right)
    bench.expect(bench.sweep("local:1", "interrupted.sqlite", SHARDS + 1), 3, f"begun with {SHARDS}")
    other = bench.wrapper("other build", "# other")
    bench.expect(bench.sweep("local:1", "interrupted.sqlite", SHARDS, harness=other), 3, "of another build (harness")
    bench.expect(bench.sweep("local:1", "interrupted.sqlite", SHARDS), 0, f"({kept} kept)")
    assert bench.records("interrupted.sqlite") == right


def crashed_and_torn(bench, right):
    """A harness that dies once, one that loses a record once, and one that dies in one shard always."""
    once = f"""case "$*" in
    *'--shard 1/3 '*) [ -e '{bench.folder}/one' ] || {{ touch '{bench.folder}/one'; kill -SEGV $$; }} ;;
    *'--shard 2/3 '*) [ -e '{bench.folder}/two' ] || {{ touch '{bench.folder}/two'; '{bench.real}' "$@" | tail -n +2; exit; }} ;;
    *'--shard 3/3 '*) [ -e '{bench.folder}/healed' ] || kill -SEGV $$ ;;
    esac"""
    harness = bench.wrapper("fragile", once)
    bench.expect(bench.sweep("local:1", "fragile.sqlite", 3, harness=harness), 6,
                 "shard 3/3 is given up: shard 3/3: ended by signal 11", "1 of 3 shards are missing; the same command tries them again")
    assert set(bench.records("fragile.sqlite")) < set(right)
    (bench.folder / "healed").touch()
    bench.expect(bench.sweep("local:1", "fragile.sqlite", 3, harness=harness), 0, "3 shards, 1 of them missing")
    assert bench.records("fragile.sqlite") == right


@contextlib.contextmanager
def running(process):
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def other_binary(bench, right):
    """The good worker is Dask's own program with nothing of the sweep in its environment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, engine = f"127.0.0.1:{port}", f"dask://127.0.0.1:{port}"
    other = {"FMHA950_SWEEP_HARNESS": str(bench.wrapper("other", "# another commit"))}
    scheduler = bench.start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--dashboard-address", ":0", output="scheduler")
    with running(scheduler):
        until(lambda: "Scheduler at" in bench.said("scheduler"), "scheduler")
        bench.expect(bench.sweep(engine, "dask.sqlite", SHARDS), 3, "has no workers")
        with open(bench.folder / "good", "w", encoding="utf-8") as said:
            good = subprocess.Popen([VENV / "bin/dask", "worker", address, "--no-dashboard"], stdout=said, stderr=said,
                                    start_new_session=True)
        with running(good):
            until(lambda: "Registered to" in bench.said("good"), "good worker")
            with running(bench.start("worker", address, "--no-dashboard", output="bad", environment=other)):
                until(lambda: "Registered to" in bench.said("bad"), "bad worker")
                bench.expect(bench.sweep(engine, "dask.sqlite", SHARDS), 3, "fmha950: worker tcp://127.0.0.1:", ": harness ", "must be ")
                assert bench.said().count("fmha950: worker") == 1, bench.said()
                assert not bench.records("dask.sqlite")
            until(lambda: "Remove worker" in bench.said("scheduler"), "end of the bad worker")
            bench.expect(bench.sweep(engine, "dask.sqlite", SHARDS), 0, "0 failed")
            assert bench.records("dask.sqlite") == right
            process = bench.sweep(engine, "lost.sqlite", SHARDS)
            until(lambda: bench.running_shard(good), "shard that runs")
            os.killpg(scheduler.pid, signal.SIGKILL)
            bench.expect(process, 6, "the scheduler is gone", "shards are missing; the same command tries them again")


def rebuilt(bench, right):
    """The binary of a shard that was begun before is the old one: it counts. The next one has another."""
    harness = bench.wrapper("changing", "")
    process = bench.sweep("local:1", "changing.sqlite", SHARDS, harness=harness)
    pid = until(lambda: bench.running_shard(process), "shard that runs")[0]
    os.kill(pid, signal.SIGSTOP)
    harness.unlink()  # as a linker does: what runs keeps its file
    bench.wrapper("changing", "# rebuilt")
    os.kill(pid, signal.SIGCONT)
    bench.expect(process, 3, ": harness ", "when the sweep began")
    assert 0 < len(bench.records("changing.sqlite")) < len(right)


def whole_shards(bench, right):
    """A shard with a bad line leaves nothing behind."""
    request = types.SimpleNamespace(database=str(bench.folder / "whole.sqlite"), command="accuracy", options=(), selection=(), variables={})
    store = shard_store.ShardStore(request, {"version": "0", "harness": "1", "library": "2", "cases": "3"}, 2)
    shard = {"counts": [2, 0, 0], "code": 0, "worker": "here", "seconds": 1}
    try:
        store.add(1, {**shard, "records": [right[0], right[1][:-9]]})
        raise AssertionError("a torn record is taken")
    except BadRecord as error:
        assert "shard 1/2 of here:2: is not JSON" in str(error), error
    assert not bench.records("whole.sqlite") and store.missing() == [1, 2]
    store.add(2, {**shard, "records": right[2:4]})
    assert len(bench.records("whole.sqlite")) == 2 and store.missing() == [1]


def time_left(_, __):
    """By cases: shards may be uneven. One of four shards was there before; of the others' six cases two are done in 9.5 s."""
    shown = progress.Progress(4, {2: 2, 3: 2, 4: 2})
    shown.done(3)
    shown.begin -= 9.5
    assert shown.line(5) == "[2/4 shards] 10 s elapsed, 20 s left: 5 workers", shown.line(5)
    assert progress.duration(61) == "1 min 01 s" and progress.duration(3660) == "1 h 01 min"


def slurm(bench, right):
    """Jobs are processes; what they were submitted with is written down."""
    programs = bench.folder / "slurm"
    programs.mkdir()
    test_only = "if [ $1 = --test-only ]; then\n! grep -q -- '-p none' $2 || { echo invalid partition >&2; exit 1; }\nexit\nfi\n"
    for name, text in (("sbatch", test_only + "cp \"$1\" \"$0.$$\"\nsetsid bash \"$0.$$\" >/dev/null 2>&1 &\necho Submitted batch job $!"),
                       ("scancel", "echo $* >>\"$0.log\"\nfor job; do kill -- -\"$job\"; done")):
        (programs / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    found = {"PATH": f"{programs}:{os.environ['PATH']}"}
    words = (*SELECTION, "--engine", "slurm:2", "--to", bench.folder / "slurm.sqlite", "--shards", str(SHARDS))
    bench.expect(bench.start(*words, "--slurm", "queue=none", environment=found), 3, "sbatch --test-only says: invalid partition")
    settings = [word for setting in ("queue=cpu", "walltime=01:00:00", "directive=--exclusive") for word in ("--slurm", setting)]
    bench.expect(bench.start(*words, *settings, "--", *OPTIONS, environment=found), 0, "0 failed")
    scripts = [path.read_text(encoding="utf-8") for path in programs.glob("sbatch.*")]
    assert len(scripts) == 2, scripts
    for line in ("#SBATCH -p cpu", "#SBATCH -t 01:00:00", "#SBATCH --exclusive"):
        assert all(line in script for script in scripts), scripts
    assert len((programs / "scancel.log").read_text(encoding="utf-8").split()) == 2
    assert bench.records("slurm.sqlite") == right


def wrong_input(bench, _):
    valid = {"--engine": "local:1", "--to": str(bench.folder / "none.sqlite"), "--list": "gaps"}
    for change, behind, text in (
            ({"--engine": "local:0"}, (), "--engine local:0: must be dask://HOST:PORT"),
            ({"--engine": "dask://127.0.0.1:1"}, (), "no scheduler answers there"),
            ({"--engine": "slurm", "--slurm": "cores=many"}, (), "--slurm cores=many: must be a number"),
            ({"--slurm": "queue=cpu"}, (), "--slurm queue=cpu: is for --engine slurm"),
            ({"--shards": "0"}, (), "--shards 0: must be a number from 1"),
            ({"--shards": "100000"}, (), "--shards 100000: must be at most"),
            ({"--list": "gap"}, (), "list = gap: must be a file of"),
            ({"--impl": "all"}, (), "--impl: is no option of a sweep"),
            ({"--to": "/nowhere/a.sqlite"}, (), "--to /nowhere/a.sqlite: cannot be written"),
            ({"--to": str(SOURCE / "README.md")}, (), "is no database of results"),
            ({}, ("--schedules", "bogus"), "accuracy says: schedule = bogus"),
            ({}, ("--shard", "1/2"), "the sweep says itself"),
            ({}, ("--list", "demo"), "stands before the --")):
        words = [word for pair in {**valid, **change}.items() for word in pair]
        bench.expect(bench.start(*words, "--", *behind), 3, text)


def main():
    made = subprocess.run(["bash", SOURCE / "clients/sweep/setup.sh", VENV], stderr=subprocess.PIPE, text=True)
    if made.returncode == 6:  # it did not get Dask
        decide = ["bash", "-c", '. "$0" && setup_failed "$1"', SOURCE / "tests/clients/pypi.sh", made.stderr]
        return subprocess.run(decide).returncode
    if made.returncode != 0:
        print(made.stderr, file=sys.stderr)
        return 1
    tests = (killed_worker, interrupted, crashed_and_torn, other_binary, rebuilt, whole_shards, time_left, slurm, wrong_input)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        bench = Bench(folder, HARNESS, VENV, SELECTION, OPTIONS)
        try:
            right = bench.undisturbed()
            assert len(right) == len(set(right)) == 32
            for test in tests:
                bench.log.write_text("", encoding="utf-8")
                begin = time.monotonic()
                test(bench, right)
                print(f"{test.__name__}: right, {time.monotonic() - begin:.0f} s", flush=True)
        finally:
            bench.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
