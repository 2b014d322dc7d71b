"""Modelled performance of result records, as the figures and the report use it.

Everything here comes from the embedded device's cycle model; what a GPU measured (`gpu_ms`) is never mixed with it.
"""

from dataclasses import dataclass, field

import records as result_records

NOMINAL_HERTZ = 2.4e9  # emulator/rates/latencies.hpp: MI355X [D]
COMPUTE_UNITS = 256
# Peaks of the whole GPU in TFLOP/s: flops per clock and compute unit from MFMA passes (emulator/rates/rates.cpp).
MATRIX_PEAKS = {"FP8, f8f6f4": 8192 * COMPUTE_UNITS * NOMINAL_HERTZ / 1e12,
                "bf16; FP8, 32x32x16": 4096 * COMPUTE_UNITS * NOMINAL_HERTZ / 1e12}
# TB/s of the whole GPU at 2.4 GHz, and the constant it comes from.
BANDWIDTHS = {
    "l1": (128 * COMPUTE_UNITS * NOMINAL_HERTZ / 1e12, "rates.hpp: 128 B/clk and CU [S]"),
    "l2": (16 * 128 * 8 * NOMINAL_HERTZ / 1e12, "latencies.hpp: 2048 B/clk and chiplet [S]"),
    "mall": (17.2, "latencies.hpp: 17.2 TB/s [D]"),
    "hbm": (7.0, "latencies.hpp: 7.0 TB/s reached [M]"),
}
LEVELS = tuple(BANDWIDTHS)
UNIT_NAMES = {"matrix": "matrix", "valu": "VALU", "lds": "LDS", "vmem": "vector addresses", "l2_port": "way to L2", "l2_channels": "channels of L2",
              "beyond_l2": "way beyond L2"}
LEVEL_NAMES = {"l1": "L1", "l2": "L2", "mall": "Infinity Cache", "hbm": "HBM"}
# What a wave's clocks were spent on, in the order of the stacks: title, colour, keys of `spent`.
SPENT = (
    ("issuing", "blue", ("issue",)),
    ("matrix unit busy", "sky", ("matrix_busy",)),
    ("VALU busy", "amber", ("valu_busy",)),
    ("LDS busy", "olive", ("lds_busy",)),
    ("vector addresses busy", "wine", ("vmem_busy",)),
    ("scalar unit busy", "indigo", ("scalar_busy",)),
    ("result of VALU or MFMA, s_nop", "vermilion", ("dependence", "mfma_result", "nop")),
    ("wait for memory (vmcnt)", "pink", ("vmcnt",)),
    ("wait for LDS or scalar loads (lgkmcnt)", "green", ("lgkmcnt",)),
    ("barrier", "grey", ("barrier",)),
    ("branch and other", "silver", ("branch", "fetch")),
)
# What a tile's time is charged to (harness/perf/modelled_time.hpp): title, colour.
ENERGIES = {"idle": ("clocks as such", "silver"), "matrix_bf16": ("matrix, bf16", "blue"), "matrix_fp8": ("matrix, fp8", "sky"),
            "matrix_f8f6f4": ("matrix, f8f6f4", "green"), "valu": ("VALU", "amber"), "lds": ("LDS", "indigo"),
            "bytes": ("bytes beyond L2", "wine"), "highest_clock": ("highest clock", "grey")}


class NothingModelled(result_records.BadRecord):
    """The records have no modelled values."""


@dataclass
class Run:
    """One case on one implementation, modelled."""
    record: result_records.Record
    values: dict
    keys: dict = field(default_factory=dict)

    @property
    def implementation(self):
        return self.record.implementation

    @property
    def tflops(self):
        """At the clock that the work allows, dispatch included."""
        return self.values["tflops"]

    @property
    def ends(self):
        """Of tflops: what the law of the clock and sampling leave open; where sampling_error is None, the law alone."""
        return self.values["tflops_low"], self.values["tflops_high"]

    @property
    def worlds(self):
        """tflops under each other law of the clock and each assumption, by its name; the best estimate has none."""
        return {"": self.tflops, **{name: self.tflops / factor for name, factor in self.values["seconds_by"].items()}}

    @property
    def megahertz(self):
        """The clock that the work allows."""
        return self.values["clock_hertz"] / 1e6

    @property
    def microseconds(self):
        return self.values["seconds"] * 1e6

    @property
    def longest(self):
        return max(self.values["launches"], key=lambda launch: launch["clocks"])

    @property
    def busiest(self):
        """The unit that the longest launch asks most of, and its share of the clocks."""
        return max(self.longest["busy"].items(), key=lambda unit: unit[1], default=("", 0.0))

    @property
    def sampling_error(self):
        """Of the time, relative; None where too few workgroups were followed to say."""
        return self.values["sampling_error"]

    def spent(self, launch=None):
        """Shares of the waves' lives in the order of SPENT; keys that SPENT does not know are in the last one."""
        parts = (launch or self.longest)["spent"]
        shares = [sum(parts.get(key, 0.0) for key in keys) for _, _, keys in SPENT]
        shares[-1] += max(0.0, sum(parts.values()) - sum(shares))
        return shares

    def bytes_of(self, level):
        """Bytes of all launches that this level served."""
        return sum(launch["bytes"].get(level, 0.0) for launch in self.values["launches"])

    def bytes_through(self, level):
        """Bytes of all launches that this level or one behind it served."""
        return sum(self.bytes_of(key) for key in LEVELS[LEVELS.index(level):])

    @property
    def length(self):
        return int(self.keys.get("sk", self.keys.get("n", 0)))

    def without(self, *keys):
        """The case string without these keys: what it shares with cases that differ only in them."""
        return "/".join(part for part in self.record.case.split("/") if part.split("=")[0] not in keys)


def runs(records):
    """The records that have modelled values. Raises NothingModelled."""
    found = []
    for record in records:
        if not record.modelled:
            continue
        missing = [key for key in ("flops", "clocks", "clocks_per_tile", "matrix_fraction", "clock_hertz", "tflops", "tflops_low", "tflops_high", "seconds",
                                  "seconds_by", "sampling_error", "launches") if key not in record.modelled]
        if missing or not record.modelled["launches"]:
            raise result_records.BadRecord(f"{record.case}: modelled lacks {', '.join(missing) or 'launches'}")
        found.append(Run(record, record.modelled, record.keys))
    if not found:
        raise NothingModelled("no record has modelled values: ./fmha950 perf makes them")
    return found


def names(all_runs, group):
    """Names in a group of the launches' values ("busy", "bytes") that are anywhere above 0, in the model's order."""
    found = {}
    for run in all_runs:
        for launch in run.values["launches"]:
            for name, value in launch[group].items():
                found[name] = found.get(name, False) or value > 0
    return [name for name, above in found.items() if above]


def by_case(all_runs):
    """{case: runs}, in the order of the file."""
    cases = {}
    for run in all_runs:
        cases.setdefault(run.record.case, []).append(run)
    return cases


def representative(all_runs, operator):
    """The runs of one operator's case that most implementations ran, of those the one with most work."""
    cases = [members for members in by_case(all_runs).values() if members[0].keys[""] == operator]
    return max(cases, key=lambda members: (len({run.implementation for run in members}), members[0].values.get("flops", 0)), default=[])


def operators(all_runs):
    return list(dict.fromkeys(run.keys[""] for run in all_runs))


WORDS = {"h": "heads {}", "page": "page {}", "table": "{}", "b": "batch {}", "n": "{} tokens", "pool": "pool {}", "chunk": "chunk {}",
         "causal": "causal", "lse": "LSE", "order": "order {}", "values": "values {}", "scale": "", "sinklogit": "", "d": "d {}",
         "calls": "{} calls", "parts": "{} parts"}


def title(run, leave_out=()):
    """A case in words, short enough for an axis."""
    keys = run.keys
    parts = [f"{int(keys['sq']):,} × {int(keys['sk']):,}"] if keys.get("sq", "").isdigit() and keys.get("sk", "").isdigit() else []
    if keys[""] not in ("sparse_prefill", "merge") and "page" not in keys and "page" not in leave_out:
        keys = {**keys, "page": "16"}
    if keys.get("paged") == "0" and "paged" not in leave_out:
        parts.append("contiguous")
    told = ("in", "o") if keys[""] == "merge" else ()  # by the storage
    for key, value in keys.items():
        if key in ("", "sq", "sk", "q", "kv", "quant", "paged", "format", *told) or key in leave_out or (key == "d" and value == "128"):
            continue
        text = WORDS.get(key, f"{key} {{}}").format(value if len(value) < 28 else value[:25] + "...")
        if text:
            parts.append(text)
    return ", ".join([keys[""].removesuffix("_prefill"), run.record.storage, *parts])
