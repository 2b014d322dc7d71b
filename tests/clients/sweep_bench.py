"""What the tests of sweeps share: the command as the launcher calls it, a harness that writes down what it is asked for, and what one
undisturbed run of the harness gives."""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TIMES = ("emulation_wall_ms", "gpu_ms", "planning_ms", "measured")
SECONDS = 120  # any wait


def without_times(record):
    kept = {key: value for key, value in record.items() if key not in TIMES}
    kept["variations"] = [{key: value for key, value in each.items() if key != "wall_ms"} for each in record["variations"]]
    return json.dumps(kept, sort_keys=True)


def until(condition, what):
    """What the condition gives, once it is something."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"in {SECONDS} s: no {what}")


def words_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")[:-1]
    except OSError:
        return []


def parent_of(pid):
    """0 of one that is gone."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def is_below(pid, ancestor):
    while pid not in (0, ancestor):
        pid = parent_of(pid)
    return pid == ancestor


class Bench:
    def __init__(self, folder, harness, venv, selection, options):
        self.folder, self.real, self.venv = pathlib.Path(folder), harness, venv
        self.selection, self.options = selection, options
        self.log = self.folder / "asked.log"
        self.harness = self.wrapper("harness", "")
        self.started = []

    def end(self):
        """What a test that failed has left."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)

    def wrapper(self, name, first):
        """A harness of its own digest; `first` is run before the real one, with the arguments in $*."""
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{first}\necho \"$*\" >>'{self.log}'\nexec '{self.real}' \"$@\"\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def undisturbed(self):
        run = subprocess.run([self.real, "accuracy", *self.selection, *self.options, "--json"], capture_output=True, text=True, check=True)
        return sorted(without_times(json.loads(line)) for line in run.stdout.splitlines())

    def records(self, name):
        with sqlite3.connect(self.folder / name) as database:
            return sorted(without_times(json.loads(record)) for (record,) in database.execute("select record from results"))

    def runs(self, shard, shards):
        """How often the harness was asked for this shard."""
        return self.log.read_text(encoding="utf-8").count(f"--shard {shard}/{shards} ")

    def command(self, *words, harness=None):
        return ["bash", SOURCE / "clients/sweep/run.sh", harness or self.harness, SOURCE / "analysis", self.venv, *words]

    def start(self, *words, harness=None, environment=(), output="said"):
        """In a process group of its own, for a Ctrl-C."""
        with open(self.folder / output, "w", encoding="utf-8") as said:
            self.started.append(subprocess.Popen(self.command(*words, harness=harness), stdout=said, stderr=said, start_new_session=True,
                                                 env={**os.environ, **dict(environment)}))
        return self.started[-1]

    def sweep(self, engine, to, shards, **how):
        words = ("--engine", engine, "--to", self.folder / to, "--shards", str(shards), "--", *self.options)
        return self.start(*self.selection, *words, **how)

    def said(self, output="said"):
        return (self.folder / output).read_text(encoding="utf-8")

    def expect(self, process, code, *texts):
        ended = process.wait(SECONDS)
        assert ended == code, (ended, code, self.said())
        for text in texts:
            assert text in self.said(), (text, self.said())

    def running_shard(self, sweep):
        """Process and shard of a harness that runs one: not what a worker is about to start, nor a process of a case below it."""
        for entry in filter(str.isdigit, os.listdir("/proc")):
            words = words_of(entry)
            if words[:1] == [str(self.real)] and "--shard" in words and is_below(int(entry), sweep.pid):
                if words_of(parent_of(entry))[:1] != words[:1]:
                    return int(entry), words[words.index("--shard") + 1]
        return None
