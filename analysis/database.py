"""Result records in one SQLite table (docs/results.md, "As a database").

A record is a row: a column for each of its keys, nested ones joined with "_", arrays and what has no names as JSON;
`key_K` for each key K of the case string; `record`, the JSON line; `source`, the file of lines that it came from. Two records are the same result if case, command line, variables and environment are
equal, as for --resume; they must agree in all but times, else they are in conflict.
"""

import contextlib
import difflib
import hashlib
import json
import math
import sqlite3
import urllib.parse
from dataclasses import dataclass, field

from records import BadRecord, parsed, parsed_lines

VERSION = 2  # of the table's form; grows with MIGRATIONS
# By the version that a table has: the columns that make it one of the next.
MIGRATIONS = {1: ("source",)}
# What every record has, so that a table without records has it, too.
REQUIRED = ("case", "requested", "outcome", "command")
PRESENT = (*REQUIRED, "resolved", "reason", "probe", "asked", "reproduce")
# As harness/record/kept_records.hpp has it.
IDENTITY = ("schema", "case", "probe", "requested", "asked", "environment")
NO_IDENTITY = ("commit", "committed")  # of the environment
TIMES = ("emulation_wall_ms", "gpu_ms", "planning_ms", "measured")  # differ from run to run
SQLITE_MAGIC = b"SQLite format 3\0"


@dataclass
class Loaded:
    """What a file brought."""

    new: int = 0
    duplicates: int = 0
    conflicts: list = field(default_factory=list)  # in words


def _value(value):
    if value in ("inf", "-inf"):
        return float(value)
    if value == "nan" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    return value if value is None or isinstance(value, (int, float, str)) else json.dumps(value)


def flat(record, prefix=""):
    """Names and values of columns: keys of objects joined with "_", arrays as JSON."""
    for key, value in record.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and all(map(str.isidentifier, value)):
            yield from flat(value, f"{name}_")
        else:
            yield ("case_string" if name == "case" else name), _value(value)


def columns_of(record):
    """Names and values of a record's row."""
    columns = dict(flat(record))
    operator, *parts = record["case"].split("/")
    columns["operator"] = operator
    for part in parts:
        key, _, value = part.partition("=")
        columns[f"key_{key}"] = int(value) if value.isdecimal() and len(value) < 19 else value
    columns["implementation"] = record.get("resolved") or record["requested"]
    return columns


def _digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _comparable(record):
    environment = record.get("environment")
    if not isinstance(environment, dict):
        return record
    return {**record, "environment": {key: value for key, value in environment.items() if key not in NO_IDENTITY}}


def identity_of(record):
    return _digest([_comparable(record).get(key) for key in IDENTITY])


def result_of(record):
    """What two runs of the same must agree in."""
    rest = {key: value for key, value in _comparable(record).items() if key not in TIMES}
    rest["variations"] = [{k: v for k, v in each.items() if k != "wall_ms"} for each in record.get("variations") or []]
    return _digest(rest)


def _whole(record):
    """The record itself, if it has what every one has."""
    present = {key: record[key] for key in PRESENT}
    if not all(isinstance(present[key], str) for key in REQUIRED):
        raise TypeError(f"{', '.join(REQUIRED)} must be strings")
    return record


def _from(records, source):
    return ((record, source) for record in records)


def is_database(path):
    try:
        with open(path, "rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except OSError as error:
        raise BadRecord(f"{path}: cannot be read: {error.strerror}") from error


class Database:
    TABLE = "results"

    def __init__(self, path=":memory:", read_only=False):
        self.path, self.read_only = path, read_only
        try:
            uri = f"file:{urllib.parse.quote(path)}?mode=ro" if read_only else path
            self.connection = sqlite3.connect(uri, uri=read_only, isolation_level=None)
            self._open()
        except sqlite3.Error as error:
            raise BadRecord(f"{path}: is no database of results: {error}") from error
        self.connection.row_factory = sqlite3.Row

    def _open(self):
        version = self.connection.execute("pragma user_version").fetchone()[0]
        tables = self.connection.execute("select count(*) from sqlite_master").fetchone()[0]
        if version == 0 and tables == 0:
            common = ", ".join("case_string" if key == "case" else key for key in PRESENT)
            self.connection.execute(f"create table results (identity primary key, result, record, source, implementation, {common})")
            self.connection.execute(f"pragma user_version = {VERSION}")
        elif version not in (*MIGRATIONS, VERSION):
            raise BadRecord(f"{self.path}: version {version} of the table: this program reads 1 to {VERSION}")
        elif version != VERSION and not self.read_only:
            self._migrate(version)

    def _migrate(self, version):
        with self.transaction("immediate"):  # of two programs the second one finds it done
            wanted = [column for older in range(version, VERSION) for column in MIGRATIONS[older]]
            for column in set(wanted) - set(self.columns()):
                self.connection.execute(f"alter table results add column {column}")
            self.connection.execute(f"pragma user_version = {VERSION}")

    def columns(self):
        return [row[1] for row in self.connection.execute(f"pragma table_info({self.TABLE})")]

    def require(self, names, option):
        known = self.columns()
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, known, 3)
                hint = f", perhaps {' or '.join(near)}" if near else ""
                raise BadRecord(f"{option} {name}: is no column{hint}; --columns all lists them")
        return names

    @contextlib.contextmanager
    def transaction(self, kind="deferred"):
        """All that is done in it or, after an error, nothing."""
        self.connection.execute(f"begin {kind}")
        try:
            yield
            self.connection.execute("commit")
        finally:
            if self.connection.in_transaction:
                self.connection.execute("rollback")

    def add(self, sourced, path):
        """Pairs of a record and its source: all of them or, after an error, none."""
        with self.transaction():
            return self._merge(sourced, path)

    def add_lines(self, lines, name):
        """JSON lines, of which `name` says whence they are, inside of a transaction."""
        return self._merge(_from(parsed_lines(lines, name, _whole), name), name)

    def _merge(self, sourced, path):
        loaded = Loaded()
        known = {name.lower() for name in self.columns()}
        for record, source in sourced:
            identity, result = identity_of(record), result_of(record)
            there = self.connection.execute("select result, source from results where identity = ?", (identity,)).fetchone()
            if there is None:
                loaded.new += 1
                own = {"identity": identity, "result": result, "source": source}
                self._insert({**columns_of(record), "record": json.dumps(record), **own}, known)
            elif there[0] == result:
                loaded.duplicates += 1
            else:
                result_of_case = f"{record.get('resolved') or record['requested']} on {record['case']}"
                loaded.conflicts.append(f"{path} and {there[1] or 'a file of unknown name'}: {result_of_case}")
        return loaded

    def _insert(self, row, known):
        """`known`: the table's columns in small letters, to which a new one is added."""
        for name in row:
            if name.lower() not in known:  # SQLite's names are case-insensitive
                self.connection.execute(f"alter table {self.TABLE} add column {quoted(name)}")
                known.add(name.lower())
        names = ", ".join(map(quoted, row))
        marks = ", ".join("?" * len(row))
        self.connection.execute(f"insert into {self.TABLE} ({names}) values ({marks})", list(row.values()))

    def add_file(self, path):
        """A file of JSON lines, or another database."""
        try:
            return self.add(Database(path, read_only=True).sourced() if is_database(path) else _from(parsed(path, _whole), path), path)
        except (sqlite3.Error, UnicodeError) as error:
            raise BadRecord(f"{path}: cannot be put into {self.path}: {error}") from error

    def records(self, where=None):
        """Whole records. `where`: a condition in SQL."""
        rows = self.select("record", where)
        return (json.loads(row["record"]) for row in rows)

    def sourced(self):
        source = "source" if "source" in self.columns() else "null"  # version 1
        return ((json.loads(row[0]), row[1]) for row in self.select(f"record, {source}"))

    def select(self, what, where=None, rest=""):
        """Rows, read only. Raises BadRecord for wrong SQL."""
        condition = f" where ({where})" if where else ""
        self.connection.execute("pragma query_only = on")
        try:
            return self.connection.execute(f"select {what} from {self.TABLE}{condition} {rest}").fetchall()
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise BadRecord(f"--where {where}: {error}; --columns all lists the columns") from error
        finally:
            self.connection.execute("pragma query_only = off")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'
