"""The database of a sweep: results (analysis/database.py), and which shards they are of. Results of a shard and its row are written
together or not at all. So a shard that another machine begins again, whose records have another environment, is nowhere twice."""

import contextlib
import fcntl
import json
import os
import socket
import sqlite3
from dataclasses import dataclass

from database import Database
from records import BadRecord
from request import Refused

TABLES = (
    "create table if not exists sweeps (sweep integer primary key, asked unique, command, shards, binary)",
    "create table if not exists shards (sweep, shard, passed, failed, skipped, code, worker, seconds, conflicts, primary key (sweep, shard))",
)


@dataclass
class Total:
    """Of all shards that are complete."""

    passed: int
    failed: int
    skipped: int
    code: int  # the first kind that occurred, as of one run of the harness
    conflicts: int

    def words(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    def results(self):
        return self.passed + self.failed + self.skipped


@contextlib.contextmanager
def only_writer(path):
    """Two sweeps into one database would run everything twice."""
    name = f"{path}.lock"
    while True:
        try:
            file = open(name, "a+", encoding="utf-8")
        except OSError as error:
            raise Refused(f"--to {path}: cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise Refused(f"--to {path}: another sweep writes it: {file.read().strip()}") from None
        # The one before may have removed it between opening and locking.
        if os.path.exists(name) and os.path.samestat(os.stat(name), os.fstat(file.fileno())):
            break
        file.close()
    with file:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        try:
            yield
        finally:
            os.unlink(name)


class ShardStore:
    def __init__(self, request, binary, shards):
        self.shards = shards
        self.database = Database(request.database)
        self.connection = self.database.connection
        asked = json.dumps([request.command, request.options, request.selection, request.variables, binary["cases"]])
        try:
            with self.database.transaction():
                for table in TABLES:
                    self.connection.execute(table)
                self._require_same_binary(request, binary)
                self.sweep = self._found(request, asked, binary)
        except sqlite3.Error as error:
            raise BadRecord(f"{request.database}: cannot hold a sweep: {error}") from error

    def _require_same_binary(self, request, binary):
        for (text,) in self.connection.execute("select distinct binary from sweeps"):
            there = json.loads(text)
            for key in ("version", "harness", "library"):
                if there[key] != binary[key]:
                    raise Refused(f"--to {request.database}: its sweeps are of another build ({key} {there[key][:12]}, here "
                                  f"{binary[key][:12]}): give another database, and compare the two by ./fmha950 results diff")

    def _found(self, request, asked, binary):
        there = self.connection.execute("select sweep, shards from sweeps where asked = ?", (asked,)).fetchone()
        if there is not None:
            begun = self.connection.execute("select 1 from shards where sweep = ?", (there["sweep"],)).fetchone()
            if begun is None:
                self.connection.execute("update sweeps set shards = ? where sweep = ?", (self.shards, there["sweep"]))
            elif there["shards"] != self.shards:
                raise Refused(f"--shards {self.shards}: this sweep was begun with {there['shards']}: "
                              f"give --shards {there['shards']}, or another --to")
            return there["sweep"]
        words = " ".join((request.command, *request.selection, *request.options))
        inserted = self.connection.execute("insert into sweeps (asked, command, shards, binary) values (?, ?, ?, ?)",
                                           (asked, words, self.shards, json.dumps(binary)))
        return inserted.lastrowid

    def missing(self):
        done = {row["shard"] for row in self.connection.execute("select shard from shards where sweep = ?", (self.sweep,))}
        return [shard for shard in range(1, self.shards + 1) if shard not in done]

    def add(self, shard, result):
        """What shard_run.run_shard gave; gives what database.Database.add does."""
        with self.database.transaction():
            loaded = self.database.add_lines(result["records"], f"shard {shard}/{self.shards} of {result['worker']}")
            row = (self.sweep, shard, *result["counts"], result["code"], result["worker"], result["seconds"], len(loaded.conflicts))
            self.connection.execute("insert into shards values (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            return loaded

    def total(self):
        passed, failed, skipped, code, conflicts = self.connection.execute(
            "select total(passed), total(failed), total(skipped), min(nullif(code, 0)), total(conflicts) from shards where sweep = ?",
            (self.sweep,)).fetchone()
        return Total(int(passed), int(failed), int(skipped), code or 0, int(conflicts))
