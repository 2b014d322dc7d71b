"""What `results` and `results launches` share: which rows and columns of a database a user asks for, and how both end."""

import argparse
import sys

from database import quoted
from records import BadRecord
from text_table import show


def parser_of(command, about, files, to, where, group_by, **more):
    """The words of a command: the help of what differs between the two."""
    parser = argparse.ArgumentParser(prog=f"./fmha950 {command}", description=about.split("\n\n")[0], **more)
    parser.add_argument("files", nargs="+", metavar="FILE", help=files)
    parser.add_argument("--to", metavar="DATABASE", help=to)
    parser.add_argument("--where", metavar="SQL", help=where)
    parser.add_argument("--group-by", metavar="COLUMNS", help=group_by)
    parser.add_argument("--columns", metavar="COLUMNS", help="what is shown, separated by commas; `all` lists their names")
    parser.add_argument("--csv", action="store_true", help="CSV")
    return parser


def show_rows(database, options, shown, order):
    """Columns `shown`, unless others are asked for."""
    names = database.require(options.columns.split(",") if options.columns else shown, "--columns")
    show(names, database.select(", ".join(map(quoted, names)), options.where, f"order by {order}"), options.csv)


def show_groups(database, options, sums, order=""):
    """A line for each value of --group-by: `sums`, SQL by name, and means of --columns."""
    groups = database.require(options.group_by.split(","), "--group-by")
    means = database.require(options.columns.split(",") if options.columns else [], "--columns")
    by = ", ".join(map(quoted, groups))
    what = ", ".join((by, *sums.values(), *(f"avg({quoted(name)})" for name in means)))
    names = [*groups, *sums, *(f"mean {name}" for name in means)]
    show(names, database.select(what, options.where, f"group by {by} order by {order}{by}"), options.csv)


def exit_code_of(action):
    try:
        return action()
    except BadRecord as error:
        print(f"fmha950: {error}", file=sys.stderr)
        return 3
    except SystemExit as ended:  # of argparse, whose 2 would be a hazard's
        return 3 if ended.code else 0
