"""What a sweep is asked for: its arguments, and what is wrong with them. Needs no Dask, so that nothing is installed for --help."""

import argparse
import os
import re
import sys
from dataclasses import dataclass

COMMANDS = ("accuracy", "compare", "perf", "run")  # those that take a list and make records
MOST_SHARDS = 1000  # by default; each costs a few tenths of a second
SLURM_KEYS = ("queue", "account", "walltime", "cores", "memory", "interface", "directive")
# What stands behind `--` must not choose cases, which is done once for all shards, nor say where records go.
CHOOSES = ("--list", "--axis", "--filter", "--load")
OWN = ("--shard", "--json", "--csv", "--markdown", "--output", "--resume", "--overwrite")

USAGE = "./fmha950 sweep [COMMAND] [CASE...] [--list NAME...] --engine ENGINE --to DATABASE [OPTIONS] [-- OPTIONS OF COMMAND]"
DESCRIPTION = "One case list on many machines, by Dask: shards go to workers, their records into one database (docs/sweep.md)"
EPILOG = """What follows -- is the command's, as in `-- --impl all --threads 1`. The same command goes on where an earlier one ended.
`./fmha950 sweep scheduler` and `./fmha950 sweep worker HOST:PORT` start Dask's own programs for --engine dask://HOST:PORT."""


class Refused(Exception):
    """What was asked for cannot be done; names the field, its value and what would be right."""


@dataclass(frozen=True)
class Engine:
    kind: str  # "dask", "slurm" or "local"
    address: str = ""  # HOST:PORT of a scheduler
    count: int = 0  # worker processes of `local`, jobs of `slurm`


@dataclass(frozen=True)
class Request:
    command: str
    selection: tuple  # words that choose cases, of `list` as well as of the command
    options: tuple  # the command's other words
    engine: Engine
    slurm: dict
    shards: int  # 0: by the number of cases
    database: str
    harness: str
    variables: dict  # FMHA950_*, which workers get


def parsed_engine(text):
    kind, _, rest = text.partition("://" if text.startswith("dask") else ":")
    if kind == "dask" and re.fullmatch(r"\S+:\d+", rest):
        return Engine("dask", address=rest)
    if kind == "local" and re.fullmatch(r"[1-9]\d{0,3}", rest):
        return Engine("local", count=int(rest))
    if kind == "slurm" and re.fullmatch(r"(:[1-9]\d{0,3})?", text[len(kind):]):
        return Engine("slurm", count=int(rest or 1))
    raise Refused(f"--engine {text}: must be dask://HOST:PORT, slurm, slurm:JOBS or local:WORKERS")


def parsed_slurm(pairs, engine):
    if pairs and engine.kind != "slurm":
        raise Refused(f"--slurm {pairs[0]}: is for --engine slurm, not for {engine.kind}")
    settings = {"directive": []}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key not in SLURM_KEYS or not value:
            raise Refused(f"--slurm {pair}: must be KEY=VALUE, with a KEY of {', '.join(SLURM_KEYS)}")
        if key == "cores" and not re.fullmatch(r"[1-9]\d{0,3}", value):
            raise Refused(f"--slurm {pair}: must be a number of worker processes in a job")
        if key == "directive":
            settings[key].append(value)
        else:
            settings[key] = int(value) if key == "cores" else value
    return settings


def checked_options(options):
    for word in options:
        name = word.split("=")[0]
        if name in ("-h", "--help"):
            raise Refused(f"-- {word}: ./fmha950 COMMAND --help says the options of a command")
        if name in CHOOSES:
            raise Refused(f"-- {word}: what chooses cases stands before the --" if name != "--load"
                          else f"-- {word}: a sweep takes case strings and lists, no case folders")
        if name in OWN:
            raise Refused(f"-- {word}: the sweep says itself which shard is run and where records go")
    return tuple(options)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(f"{message} (./fmha950 sweep --help)")


def parser():
    made = Parser(prog="./fmha950 sweep", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                  formatter_class=argparse.RawDescriptionHelpFormatter, usage=USAGE)
    made.add_argument("words", nargs="*", metavar="COMMAND, CASE",
                      help=f"{', '.join(COMMANDS)} (default: accuracy), then case strings")
    made.add_argument("--list", action="append", default=[], metavar="NAME", help="a case list (may be repeated)")
    made.add_argument("--axis", action="append", default=[], metavar="KEY=VALUES", help="as of the command (may be repeated)")
    made.add_argument("--filter", metavar="REGEX", help="only cases in whose string it is found")
    made.add_argument("--engine", required=True, help="local:WORKERS processes here; dask://HOST:PORT, a scheduler that runs; slurm[:JOBS]")
    made.add_argument("--to", required=True, metavar="DATABASE", help="SQLite, as of ./fmha950 results; what it has is not run again")
    made.add_argument("--shards", metavar="N", help=f"parts that are handed out (default: one for each case, at most {MOST_SHARDS})")
    made.add_argument("--slurm", action="append", default=[], metavar="KEY=VALUE",
                      help=f"of each job: {', '.join(SLURM_KEYS)} (may be repeated)")
    return made


def parsed_request(harness, words):
    """Raises Refused."""
    end = words.index("--") if "--" in words else len(words)
    given, unknown = parser().parse_known_args(words[:end])
    if unknown:
        raise Refused(f"{unknown[0]}: is no option of a sweep; those of the command stand behind the other arguments and a --"
                      if unknown[0].startswith("-") else f"{unknown[0]}: case strings stand before the options")
    named = given.words[:1] and given.words[0] in COMMANDS
    command, cases = (given.words[0], given.words[1:]) if named else ("accuracy", given.words)
    if cases and "/" not in cases[0]:
        raise Refused(f"COMMAND {cases[0]}: must be one of {', '.join(COMMANDS)}, or a case string")
    if given.to in ("", ":memory:"):
        raise Refused(f"--to {given.to}: must be the name of a file")
    if given.shards is not None and not re.fullmatch(r"[1-9]\d{0,6}", given.shards):
        raise Refused(f"--shards {given.shards}: must be a number from 1 to the number of cases")
    engine = parsed_engine(given.engine)
    selection = [*cases]
    for option, values in (("--list", given.list), ("--axis", given.axis)):
        for value in values:
            selection += [option, value]
    if given.filter is not None:
        selection += ["--filter", given.filter]
    return Request(command, tuple(selection), checked_options(words[end + 1:]), engine, parsed_slurm(given.slurm, engine),
                   int(given.shards or 0), given.to, harness, variables_of(os.environ))


def variables_of(environment):
    """All of FMHA950_* but the worker's own, which says where its harness lies."""
    return {name: value for name, value in sorted(environment.items()) if name.startswith("FMHA950_") and name != "FMHA950_SWEEP_HARNESS"}


if __name__ == "__main__":  # HARNESS ARGUMENTS: what is wrong with them, before anything is installed
    try:
        parsed_request(sys.argv[1], sys.argv[2:])
    except Refused as refusal:
        print(f"fmha950: {refusal}", file=sys.stderr)
        sys.exit(3)
