"""Hands the missing shards to Dask and takes what comes back, each as it comes. Which worker runs what, and again after a worker is lost,
is Dask's; that nothing is counted but a whole shard of the right binary is decided here."""

import queue
import re
import uuid

import cloudpickle

import shard_run
from request import Refused

TRIES_MORE = 2  # of a shard whose harness did not come to its end
SECONDS_BETWEEN_LOOKS = 1

# Workers and the scheduler need not have shard_run. Dask itself would send no more than its name in a task.
cloudpickle.register_pickle_by_value(shard_run)
RUN_SHARD = cloudpickle.dumps(shard_run.run_shard)


def differences(found, wanted, worker, harness):
    """In words; none if the binary is the same. A worker that cannot say what it has gives the reason for its digest."""
    return [f"worker {worker}: {key} {found[key]}: must be {wanted[key]}, as of {harness} when the sweep began"
            for key in found if found[key] != wanted[key]]


def require_same_binary(client, request, binary):
    """Of all workers that are there. A shard asks again, for those that come later."""
    found = client.run(shard_run.identity_or_error, request.harness, request.variables, request.selection)
    wrong = [line for worker in sorted(found) for line in differences(found[worker], binary, worker, request.harness)]
    if wrong:
        raise Refused("\nfmha950: ".join(wrong))


def workers_of(client):
    try:
        return len(client.nthreads())
    except OSError:  # the scheduler is gone, which the shards will say
        return 0


class Dispatch:
    """Events come from threads of Dask's client, and are handled one after the other in run()."""

    def __init__(self, request, store, binary):
        self.request, self.store, self.binary = request, store, binary
        self.events = queue.SimpleQueue()
        self.prefix = f"shard-{uuid.uuid4().hex[:8]}"  # no other client of a scheduler has it
        self.waiting = {}  # shard: future
        self.failed = []

    def run(self, client, progress, shards):
        self.progress = progress
        client.subscribe_topic("all", self._cluster_event)
        of = self.request
        what = (of.harness, of.variables, of.selection, of.command, of.options, self.binary)
        for shard in shards:
            future = client.submit(lambda run, *given: cloudpickle.loads(run)(*given), RUN_SHARD, f"{shard}/{self.store.shards}", *what,
                                   key=f"{self.prefix}-{shard}", pure=False, retries=TRIES_MORE)
            self.waiting[shard] = future
            future.add_done_callback(lambda _, shard=shard: self.events.put(lambda: self._ended(shard)))
        while self.waiting:
            self.progress.show(lambda: workers_of(client))
            try:
                self.events.get(timeout=SECONDS_BETWEEN_LOOKS)()
            except queue.Empty:
                continue

    def _cluster_event(self, event):
        what = event[1]
        if what.get("action") == "remove-worker":
            self.events.put(lambda: self._lost(what["worker"], what["processing-tasks"]))

    def _lost(self, worker, tasks):
        again = sorted(int(match[1]) for task in tasks if (match := re.fullmatch(rf"{self.prefix}-(\d+)", str(task))))
        self.progress.say(f"worker {worker} is gone" + (f"; again, elsewhere: shard {', '.join(map(str, again))}" if again else ""))

    def _ended(self, shard):
        future = self.waiting.pop(shard, None)
        if future is None:  # of a scheduler that is gone
            return
        if future.cancelled():
            self.failed += [shard, *self.waiting]
            self.waiting.clear()
            self.progress.say("the scheduler is gone")
            return
        error = future.exception()
        if error is not None:
            self.failed.append(shard)
            self.progress.say(f"shard {shard}/{self.store.shards} is given up: {error}")
            return
        result = future.result()
        wrong = differences(result["binary"], self.binary, result["worker"], self.request.harness)
        if wrong:
            raise Refused("\nfmha950: ".join(wrong))
        loaded = self.store.add(shard, result)
        self.progress.done(shard)
        for conflict in loaded.conflicts:
            self.progress.say(f"conflict: {conflict}: same command and environment, another result; the first one stays")
