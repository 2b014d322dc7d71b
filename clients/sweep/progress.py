"""How far a sweep is, on stderr: on a terminal a line that changes, else a line twice a minute."""

import math
import sys
import time

SECONDS_BETWEEN_LINES = 30  # where the line cannot be rewritten
SECONDS_BETWEEN_CHANGES = 1  # where it can


def duration(seconds):
    """As the harness writes it."""
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


class Progress:
    def __init__(self, shards, cases):
        """`shards` in all; `cases`: of those that are missing, how many each has."""
        self.shards = shards
        self.cases = dict(cases)
        self.left = sum(self.cases.values())
        self.total = self.left
        self.begin = time.monotonic()
        self.printed = self.begin
        self.terminal = sys.stderr.isatty()
        self.pause = SECONDS_BETWEEN_CHANGES if self.terminal else SECONDS_BETWEEN_LINES
        self.visible = False

    def done(self, shard):
        self.left -= self.cases.pop(shard)

    def line(self, workers):
        elapsed = time.monotonic() - self.begin
        done = self.total - self.left
        left = duration(elapsed / done * self.left) if done else "?"
        return f"[{self.shards - len(self.cases)}/{self.shards} shards] {duration(elapsed)} elapsed, {left} left: {workers} workers"

    def show(self, count_workers):
        """Once in a while: the function asks the scheduler."""
        if time.monotonic() - self.printed < self.pause:
            return
        self.printed = time.monotonic()
        line = self.line(count_workers())
        print(f"\r\033[K{line}" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr, flush=True)
        self.visible = self.terminal

    def say(self, text):
        """A line of its own."""
        if self.visible:
            print("\r\033[K", end="", file=sys.stderr)
            self.visible = False
        print(f"fmha950: {text}", file=sys.stderr, flush=True)
