#!/usr/bin/env python3
"""One case list on many machines (docs/sweep.md).

    ./fmha950 sweep [COMMAND] [CASE...] [--list NAME...] --engine ENGINE --to DATABASE [--shards N] [-- OPTIONS OF COMMAND]
"""

import json
import os
import signal
import sys

import shard_run
from dispatch import Dispatch, require_same_binary
from progress import Progress
from records import BadRecord
from request import MOST_SHARDS, Refused, parsed_request
from shard_store import ShardStore, only_writer

CONFLICT, INVALID, NOT_RUN = 1, 3, 6  # exit codes (docs/results.md)
NO_CASE = "sweep/checks=options"  # no operator has it: with it the command says what it thinks of its options, and runs nothing


class Interrupted(BaseException):
    def __init__(self, number):
        super().__init__()
        self.number = number


def interrupt(number, _):
    signal.signal(number, signal.SIG_DFL)  # the second one ends it at once
    raise Interrupted(number)


def require_options(request):
    """Before any machine is asked for: an option that is wrong would be so in every shard."""
    ended = shard_run.harness(request.harness, [request.command, NO_CASE, *request.options, "--json"], request.variables)
    try:
        cases = {json.loads(line)["case"] for line in ended.stdout.splitlines()}
    except ValueError:
        cases = set()  # of a command that prints something else with these options
    if not cases:
        given = f"-- {' '.join(request.options)}: " if request.options else ""
        raise Refused(f"{given}{request.command} says: {ended.stderr.strip().removeprefix('fmha950: ')}")
    if cases != {NO_CASE}:
        raise Refused(f"-- {min(cases - {NO_CASE})}: case strings stand before the --")


def selected_cases(request):
    if not request.selection:
        raise Refused("--list: nothing is selected: give --list NAME or case strings (./fmha950 list shows the lists)")
    ended = shard_run.harness(request.harness, ["list", *request.selection], request.variables)
    if ended.returncode != 0:
        raise Refused(ended.stderr.strip().removeprefix("fmha950: "))
    return len(ended.stdout.splitlines())


def shards_of(request, cases):
    if request.shards > cases:
        raise Refused(f"--shards {request.shards}: must be at most {cases}, the number of cases")
    return request.shards or min(cases, MOST_SHARDS)


def run_missing(dispatch, cases):
    store, request = dispatch.store, dispatch.request
    shards = store.missing()
    if not shards:
        return
    from engines import connected  # here, because Dask takes a second, which a refusal need not wait for

    progress = Progress(store.shards, {shard: len(range(shard - 1, cases, store.shards)) for shard in shards})
    with connected(request) as client:
        require_same_binary(client, request, dispatch.binary)
        progress.say(f"{cases} cases in {store.shards} shards, {len(shards)} of them missing; harness {dispatch.binary['harness'][:12]}; "
                     f"dashboard {client.dashboard_link}")
        dispatch.run(client, progress, shards)


def closed(dispatch, kept):
    """Says what the sweep came to, and gives its exit code."""
    store, total = dispatch.store, dispatch.store.total()
    if dispatch.failed:
        print(f"fmha950: {len(dispatch.failed)} of {store.shards} shards are missing; the same command tries them again", file=sys.stderr)
    if total.failed:
        print(f"fmha950: what failed: ./fmha950 results {dispatch.request.database} --columns case_string,reason,reproduce "
              "--where \"outcome not in ('passed', 'unsupported')\"", file=sys.stderr)
    print(f"{total.words()} ({kept} kept)" if kept else total.words())
    codes = [total.code, CONFLICT if total.conflicts else 0, NOT_RUN if dispatch.failed else 0]
    return min(filter(None, codes), default=0)


def sweep(request):
    cases = selected_cases(request)
    shards = shards_of(request, cases)
    require_options(request)
    try:
        binary = shard_run.identity(request.harness, request.variables, request.selection)
    except (OSError, RuntimeError, TypeError) as error:
        raise Refused(f"harness: {error}") from error
    with only_writer(request.database):
        store = ShardStore(request, binary, shards)
        kept = store.total().results()
        dispatch = Dispatch(request, store, binary)
        try:
            run_missing(dispatch, cases)
        except Interrupted as by:
            missing = len(store.missing())
            if missing > 0:
                print(f"\ninterrupted ({signal.strsignal(by.number)}): {missing} of {shards} shards are missing; the same command goes on",
                      file=sys.stderr)
                raise
        return closed(dispatch, kept)


def main(harness, words):
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    try:
        return sweep(parsed_request(harness, words))
    except (BadRecord, Refused) as error:
        print(f"fmha950: {error}", file=sys.stderr)
        return INVALID
    except Interrupted as by:
        os.kill(os.getpid(), by.number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
