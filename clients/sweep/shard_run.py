"""What a worker does: a shard of the cases by the harness, and which binary that is. It is sent to workers as it stands here, so that
they need no files of the sweep; hence nothing but Python's own library and plain values."""

import hashlib
import os
import re
import socket
import subprocess
import time

CLOSING = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")
LAST_CODE = 6  # of the harness' own (docs/results.md); what is above is no end of a run


def own_harness(path):
    """Where machines do not share a file system, or not under one name."""
    return os.environ.get("FMHA950_SWEEP_HARNESS", path)


def harness(path, words, variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FMHA950_")}
    # A worker that is killed takes its harness with it. In a session of its own it hears no Ctrl-C, which is the sweep's.
    command = ["setpriv", "--pdeathsig", "KILL", path, *words]
    return subprocess.run(command, env={**environment, **variables}, stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True,
                          encoding="utf-8", errors="replace")


def printed(path, words, variables):
    ended = harness(path, words, variables)
    if ended.returncode != 0:
        raise RuntimeError(f"{path} {' '.join(words)}: {last_words(ended)}")
    return ended.stdout


def last_words(ended):
    said = ended.stderr.strip().splitlines()
    how = f"ended by signal {-ended.returncode}" if ended.returncode < 0 else f"exit code {ended.returncode}"
    return f"{how}; its last words: {said[-1]}" if said else how


def digest_of_file(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def identity(path, variables, selection):
    """What must be the same on all machines: two that differ in any of it may give other results, or split the list otherwise."""
    path = own_harness(path)
    library = re.search(r"^library +(.+)$", printed(path, ["device"], variables), re.MULTILINE)[1]
    return {
        "version": printed(path, ["--version"], variables).strip(),
        "harness": digest_of_file(path),
        "library": digest_of_file(library),
        "cases": hashlib.sha256(printed(path, ["list", *selection], variables).encode()).hexdigest(),
    }


def identity_or_error(*arguments):
    """For workers that cannot even say it."""
    try:
        return identity(*arguments)
    except (OSError, RuntimeError, TypeError) as error:
        return {"harness": str(error)}


def run_shard(part, path, variables, selection, command, options, binary):
    """Records and counts of a shard that is complete. Of a worker with another binary its identity alone. Raises RuntimeError for a run
    that did not come to its end, so that Dask tries again, here or elsewhere."""
    worker = f"{socket.gethostname()} process {os.getpid()}"
    found = identity_or_error(path, variables, selection)
    if found != binary:
        return {"binary": found, "worker": worker}
    begin = time.monotonic()
    ended = harness(own_harness(path), [command, *selection, *options, "--shard", part, "--json"], variables)
    records = ended.stdout.splitlines()
    closing = CLOSING.fullmatch((ended.stderr.strip().splitlines() or [""])[-1])
    if closing is None or not 0 <= ended.returncode <= LAST_CODE:
        raise RuntimeError(f"shard {part}: {last_words(ended)}")
    counts = [int(count) for count in closing.groups()]
    if sum(counts) != len(records):
        raise RuntimeError(f"shard {part}: {len(records)} records, but its closing line says {closing[0]}")
    return {"binary": found, "worker": worker, "records": records, "counts": counts, "code": ended.returncode,
            "seconds": time.monotonic() - begin}
