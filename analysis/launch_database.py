"""Modelled launches of programs in a table of SQLite, `launches` (docs/results.md, "Launches of a program").

A row is what `fmha950 device timings --json` says of a launch: a column for each key, those of objects joined with "_", arrays as JSON; `record`,
the line. `file` and `launch` name it: a file that is read again takes the place of what was read of it.
"""

import json
import os
import sqlite3
import subprocess

from database import Database, flat, is_database
from records import BadRecord


class LaunchDatabase(Database):
    TABLE = "launches"

    def _open(self):
        super()._open()
        if not self.read_only:
            self.connection.execute("create table if not exists launches (file, launch, record, primary key (file, launch))")
        elif not self.columns():
            raise BadRecord(f"{self.path}: has no launches")

    def put(self, records):
        """Of all launches of their files. Gives how many there are, and how many rows they replace."""
        known = {name.lower() for name in self.columns()}
        replaced = 0
        with self.transaction("immediate"):
            for file in {record["file"] for record in records}:
                replaced += self.connection.execute("delete from launches where file = ?", (file,)).rowcount
            seen = set()
            for record in records:
                if (key := (record["file"], record["launch"])) in seen:
                    raise BadRecord(f"{key[0]}: has launch {key[1]} twice: each process needs a file of its own (%p in FMHA950_TIMING_REPORT), and "
                                    "each file is named once")
                seen.add(key)
                self._insert({**dict(flat(record)), "record": json.dumps(record)}, known)
        return len(records), replaced


def parsed(lines):
    """What `device timings --json` prints."""
    return [json.loads(line) for line in lines.splitlines()]


def read(harness, path):
    """Launches of a file of FMHA950_TIMING_REPORT, which the harness alone reads, or of a database. What it says besides is on stderr."""
    if is_database(path):
        return list(LaunchDatabase(path, read_only=True).records())
    ran = subprocess.run([harness, "device", "timings", "--json", path], stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        raise BadRecord(f"{path}: holds no launches that can be read")
    return [{**record, "file": os.path.abspath(path)} for record in parsed(ran.stdout)]


def add_file(database, harness, path):
    try:
        return database.put(read(harness, path))
    except sqlite3.Error as error:
        raise BadRecord(f"{path}: cannot be put into {database.path}: {error}") from error
