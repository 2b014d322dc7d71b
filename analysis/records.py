"""Result records (JSON lines, docs/results.md) as the figures and the report use them."""

import json
import math
from dataclasses import dataclass, field

SCHEMA = 3
# Keys of a case string that say how numbers are stored; all others say what is computed.
STORAGE_KEYS = ("q", "kv", "quant", "format")
METRICS = ("max_abs", "rmse", "relative_l2", "cosine", "norm_ratio")


class BadRecord(Exception):
    """A line of a result file that cannot be used; names file, line and what is wrong."""


def number(value):
    """JSON's null, numbers, and the strings "inf", "-inf", "nan" as float or None."""
    return None if value is None else float(value)


@dataclass(frozen=True)
class Limit:
    """A figure of the kernel and what it may be at most (docs/harness.md, "Accuracy")."""

    value: float
    limit: float
    where: str

    @property
    def share(self):
        """1 is the limit itself."""
        return self.value / self.limit if self.limit else math.inf


@dataclass
class Record:
    case: str
    implementation: str
    variant: str
    outcome: str
    reason: str
    kernel: dict = field(default_factory=dict)
    quantisation: dict = field(default_factory=dict)
    total: dict = field(default_factory=dict)
    limits: dict = field(default_factory=dict)  # name: Limit
    audit: dict = field(default_factory=dict)  # as in the file, lists of numbers with None; empty where there is none
    rounding: str = ""  # of P, in words
    environment: dict = field(default_factory=dict)
    reproduce: str = ""
    wall_ms: float | None = None
    modelled: dict = field(default_factory=dict)  # performance by the cycle model; empty where there is none
    rows: tuple = (None, None)  # judged, of all

    @property
    def keys(self):
        """The case string as a dictionary; the operator is under ""."""
        operator, *parts = self.case.split("/")
        return {"": operator, **dict(part.split("=", 1) for part in parts if "=" in part)}

    @property
    def workload(self):
        """What is computed: the case without its storage."""
        return "/".join(p for p in self.case.split("/") if p.split("=")[0] not in STORAGE_KEYS)

    @property
    def storage(self):
        """How numbers are stored, in words: "fp8 per tensor", with Q's type where it differs."""
        keys = self.keys
        kv = keys.get("kv", "bf16")
        if keys[""] == "sparse_prefill":
            return kv if kv == "bf16" else f"{kv} {keys.get('format', 'split')}"
        if keys[""] == "merge":
            return f"{keys.get('in', 'fp32')} to {keys.get('o', 'bf16')}"
        query = keys.get("q", "bf16")
        if keys[""] == "append_prefill":
            return f"fp8 per tensor, chunk {query}"
        words = {"tensor": " per tensor", "page": " per page", "mx": " mx"}.get(keys.get("quant"), "")
        return f"{kv}{words}" if query == kv else f"{kv}{words}, Q {query}"

    def nearest_limit(self):
        """Name and Limit of which the kernel takes the largest share; (None, None) where nothing was judged."""
        taken = {name: limit for name, limit in self.limits.items() if limit.value > 0}
        if not taken:
            return next(iter(self.limits.items()), (None, None))
        return max(taken.items(), key=lambda entry: entry[1].share)

    def of_limit(self):
        """The largest share of any limit, as the harness's tables have it; None where nothing was judged."""
        limit = self.nearest_limit()[1]
        return None if limit is None else limit.share if limit.value > 0 else 0.0

    def relative_limit(self):
        """The RMSE limit on the scale of relative L2 errors: where the kernel's error would be if all of it grew to the limit."""
        limit, relative = self.limits.get("rmse"), self.kernel.get("relative_l2")
        if limit is None or not limit.share > 0 or not relative or not math.isfinite(relative):
            return None
        return relative / limit.share


def _numbers(group):
    return {key: number(value) for key, value in (group or {}).items()}


def _limits(group):
    known = {name: entry for name, entry in (group or {}).items() if entry["value"] is not None}
    return {name: Limit(number(entry["value"]), number(entry["limit"]), entry["where"]) for name, entry in known.items()}


def _rounding(line):
    if line["p"] is None:
        return ""
    return f"{line['p']}{', weighted' if line['p_weighted'] else ''}, sum {line['sum']}"


def _record(line):
    accuracy = line.get("accuracy") or {}
    return Record(
        case=line["case"],
        implementation=line.get("resolved") or line["requested"],
        variant=line.get("variant") or "",
        outcome=line["outcome"],
        reason=line.get("reason") or "",
        kernel=_numbers(accuracy.get("kernel_error")),
        quantisation=_numbers(accuracy.get("quantisation_error")),
        total=_numbers(accuracy.get("total_error")),
        limits=_limits(accuracy.get("limits")),
        audit=accuracy.get("audit") or {},
        rounding=_rounding(line),
        environment=line.get("environment") or {},
        reproduce=line.get("reproduce") or "",
        wall_ms=number(line.get("gpu_ms")) if line.get("gpu_ms") is not None else number(line.get("emulation_wall_ms")),
        modelled=line.get("modelled") or {},
        rows=(accuracy.get("query_rows"), accuracy.get("total_query_rows")),
    )


def parsed(path, convert):
    """What `convert` makes of each record of a file, in its order. Raises BadRecord, for what it raises, too."""
    with open(path, encoding="utf-8") as lines:
        yield from parsed_lines(lines, path, convert)


def parsed_lines(lines, path, convert):
    """The same of lines that need not be in a file. `path` names them in errors."""
    for place, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            if "gpu_clocks" in line and "schema" not in line:
                raise BadRecord(f"{path}:{place}: is a launch of FMHA950_TIMING_REPORT: ./fmha950 results launches {path} (docs/results.md)")
            if line["schema"] != SCHEMA:
                raise BadRecord(f"{path}:{place}: schema = {line['schema']}: this program reads {SCHEMA} (docs/results.md); "
                                "make the record anew with the command in its `reproduce`")
            yield convert(line)
        except json.JSONDecodeError as error:
            raise BadRecord(f"{path}:{place}: is not JSON: {error}") from error
        except KeyError as error:
            raise BadRecord(f"{path}:{place}: lacks the key {error}") from error
        except (TypeError, ValueError, AttributeError, RecursionError) as error:
            raise BadRecord(f"{path}:{place}: is no result record: {error!r}") from error


def read(path):
    """All records of a file, in its order. Raises BadRecord."""
    records = list(parsed(path, _record))
    if not records:
        raise BadRecord(f"{path}: holds no records")
    return records


def common_keys(records):
    """Key=value parts that all cases share, as a list of strings."""
    parts = [record.case.split("/") for record in records]
    return [part for part in parts[0] if all(part in others for others in parts)]
