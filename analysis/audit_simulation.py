#!/usr/bin/python3
"""Simulates the audit (docs/audit.md) in NumPy: how often it cries wolf, and the smallest mistake that it hears.

    audit_simulation.py [--keys 256,1024,16384,131072] [--trials N] [--seed N]      # two minutes of one core, 1.1 GB

No code of the harness is in it: attention, rounding, noise model and rule are written anew, by the same formulas. Everything is simulated:
normal Q, K and V, head_dim 128, one KV head, P rounded to FP8 (times 2^8) or bf16 against the running maximum, float64 sums, output in bf16.
It looks at tiles of 64 keys and single keys in the output; the LSE, pages and score scales are left out. Prints Markdown.
"""

import argparse
import math

import numpy

from simulated_audit import ERRORS, FORMATS, ROWS, SIGMAS, TILE, WRONG_KEYS, Trial

TRIALS = {256: 60, 1024: 30, 16384: 6, 131072: 3}
MISTAKES = 120  # of each size, at least: each in a tile of its own, of any trial
CAUGHT = 0.95


def smallest(sizes, fractions, form):
    """The smallest mistake from which on CAUGHT of them and more are heard."""
    enough = fractions >= CAUGHT
    if not enough[-1]:
        return "-"
    return form(sizes[len(sizes) - 1 - int(numpy.argmin(enough[::-1])) + 1] if not enough.all() else sizes[0])


def percent(value):
    return f"{100 * value:.0f} %" if value >= 1 else f"{100 * value:.2g} %"


def simulate(keys, sharpness, form, trials, seed):
    """(false alarms of each trial, largest z, scales caught, keys caught, mistakes of a size)."""
    largest, scales, wrong, count = [], [], [], 0
    for trial in range(trials):
        generator = numpy.random.default_rng([seed, keys, int(10 * sharpness), form.shift, trial])
        run = Trial(keys, sharpness, form, generator)
        largest.append([run.largest_z(rows) for rows in ROWS])
        tiles = generator.permutation(keys // TILE)[:math.ceil(MISTAKES / trials)]
        for tile in tiles:
            scales.append(run.wrong_scales(tile))
            wrong.append(run.wrong_keys(tile, generator))
    return numpy.array(largest), numpy.mean(scales, axis=0), numpy.mean(wrong, axis=0), len(scales)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", default=",".join(map(str, TRIALS)), help="numbers of keys, multiples of 64 from 128 on")
    parser.add_argument("--trials", type=int, help="of each setting (default: by number of keys)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sizes = [int(keys) for keys in arguments.keys.split(",")]
    if any(keys % TILE or keys < 2 * TILE for keys in sizes):
        parser.error(f"--keys {arguments.keys}: must be multiples of {TILE} from {2 * TILE} on")
    alarms, table, fewest = [], [], math.inf
    for keys in sizes:
        trials = arguments.trials or TRIALS.get(keys, 2)
        for form in FORMATS:
            for sharpness, name in ((1, "flat"), (3, "sharp")):
                largest, scales, wrong, count = simulate(keys, sharpness, form, trials, arguments.seed)
                fewest = min(fewest, count)
                failed = int((largest > SIGMAS).any(1).sum())
                alarms.append((keys, form.name, name, trials, failed, largest.max()))
                cells = [f"{smallest(ERRORS, of_rows, percent)}, {smallest(WRONG_KEYS, of_keys, str)}" for of_rows, of_keys in zip(scales, wrong)]
                table.append(f"| {keys:,} | {form.name} | {name} | {' | '.join(cells)} | {count} |")
    print("Right runs (simulated):\n\n| keys | P | scores | trials | false alarms | largest z |\n|--:|---|---|--:|--:|--:|")
    for keys, form, name, trials, failed, largest in alarms:
        print(f"| {keys:,} | {form} | {name} | {trials} | {failed} | {largest:.1f} |")
    total, failed = sum(entry[3] for entry in alarms), sum(entry[4] for entry in alarms)
    print(f"\n{failed} false alarms in {total} right runs" + (f": fewer than {300 / total:.2g} % with 95 % confidence" if failed == 0 else ""), end="")
    print("; of one setting by itself, fewer than 3 / trials" if failed == 0 else "")
    print(f"\nWrong runs (simulated): V of one tile too large by, wrong keys of one tile; the smallest caught in {CAUGHT:.0%} of the mistakes and more\n"
          f"(sizes in steps of {ERRORS[1] / ERRORS[0]:.2g} and 2; of {fewest} mistakes {CAUGHT:.0%} are known to {1.96 * math.sqrt(CAUGHT * (1 - CAUGHT) / fewest):.0%}, with 95 % confidence; -: none):\n")
    print("| keys | P | scores | " + " | ".join(f"{rows} row{'s' if rows > 1 else ''}" for rows in ROWS) + " | mistakes of each size |")
    print("|--:|---|---|" + "--:|" * (len(ROWS) + 1))
    print("\n".join(table))


if __name__ == "__main__":
    main()
