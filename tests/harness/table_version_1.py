"""table_version_1.py DATABASE FILE [VERSION]: a database of results as version 1 of the table was, of one JSON line; or called one of VERSION."""

import json
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "analysis"))
from database import identity_of, result_of  # noqa: E402

path, file, *version = sys.argv[1:]
line = pathlib.Path(file).read_text()
record = json.loads(line)
row = {"identity": identity_of(record), "result": result_of(record), "record": line, "implementation": record["resolved"],
       "case_string": record["case"]}
row |= {key: record[key] for key in ("requested", "outcome", "command", "resolved", "reason", "probe", "asked", "reproduce")}
database = sqlite3.connect(path)
database.execute(f"create table results (identity primary key, {', '.join(list(row)[1:])})")
database.execute(f"insert into results values ({', '.join('?' * len(row))})", list(row.values()))
database.execute(f"pragma user_version = {int(version[0]) if version else 1}")
database.commit()
