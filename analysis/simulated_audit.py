"""One simulated run of attention and its audit, for audit_simulation.py: rounding, noise model and rule, written anew by the formulas of docs/audit.md and the design."""

import math
from dataclasses import dataclass

import numpy

TILE, COLUMNS, LOUD, LEAST_HEARD = 64, 128, 16, 0.01
SIGMAS = 6
ROWS = (1, 16, 64, 192)  # judged rows; the first of the largest number are the smaller ones
CHUNK = 16               # rows that are looked at together
ERRORS = 2.0 ** numpy.arange(-8, 3.01, 0.5)
WRONG_KEYS = (1, 2, 4, 8, 16, 32, 64)
OUTPUT_FLOOR = 1 / 257   # largest relative error of rounding to bf16


@dataclass(frozen=True)
class Format:
    """What P is rounded to: mantissa bits, exponent of the smallest normal number, shift of the largest P in powers of two."""

    name: str
    mantissa: int
    smallest: int
    shift: int

    @property
    def deviation(self):
        return 2.0 ** -(self.mantissa + 1) / math.sqrt(3) * math.sqrt(3 / (8 * math.log(2)))

    @property
    def bound(self):
        half = 2.0 ** -(self.mantissa + 1)
        return half / (1 + half)

    @property
    def step(self):
        """Between numbers below the normal ones, over the largest P."""
        return 2.0 ** (self.smallest - self.mantissa - self.shift)

    def round(self, x):
        _, exponent = numpy.frexp(x)
        step = numpy.ldexp(numpy.float32(1), numpy.maximum(exponent - 1, self.smallest) - self.mantissa)
        return numpy.rint(x / step) * step


FORMATS = (Format("fp8", 3, -6, 8), Format("bf16", 7, -126, 0))


def to_bf16(x):
    """To nearest even."""
    bits = numpy.ascontiguousarray(x, dtype=numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & numpy.uint32(0xFFFF0000)).view(numpy.float32)


def squares(x):
    return numpy.einsum("...d,...d->...", x, x)


def attend(q, k, v, form):
    """P over the largest of its row: exact, rounded against the running maximum, rounded by a plain implementation."""
    scores = q @ k.T / numpy.float32(math.sqrt(COLUMNS))
    tiles = scores.reshape(len(q), -1, TILE)
    running = numpy.maximum.accumulate(tiles.max(2), axis=1)[:, :, None]
    final = running[:, -1:]
    lift = numpy.float32(2.0**form.shift)
    kernel = form.round(numpy.exp(tiles - running) * lift) * numpy.exp(running - final)
    exact = numpy.exp(tiles - final)
    plain = form.round(exact * lift)
    return tuple(x.reshape(scores.shape) for x in (exact, kernel / lift, plain / lift))


class Sums:
    """Of a kind of parts: what the audit adds up over rows. [parts]"""

    def __init__(self, parts):
        self.information, self.own, self.floor, self.got, self.plain = (numpy.zeros(parts) for _ in range(5))

    def copy(self):
        other = Sums(0)
        other.__dict__ = {name: value.copy() for name, value in self.__dict__.items()}
        return other


class Rule:
    """Sigma and what is allowed, of sums that know no kernel's error but plain's."""

    def __init__(self, sums):
        self.heard = sums.information > 0
        self.information = numpy.where(self.heard, sums.information, 1)
        sigma = numpy.where(self.heard, numpy.sqrt(self.information + sums.own) / self.information, 1)
        self.plain = numpy.where(self.heard, sums.plain / self.information, 0)
        scatter = numpy.sqrt(numpy.mean((self.plain / sigma)[self.heard] ** 2)) if self.heard.sum() >= 8 else 1
        self.sigma = sigma * (1 + numpy.minimum(1, sigma)) * max(1, scatter)
        self.known = numpy.where(self.heard, sums.floor / self.information, 0) + OUTPUT_FLOOR + numpy.abs(self.plain)

    def z(self, got, parts=slice(None)):
        """How many sigmas of a share nothing explains; `got`: [..., parts]."""
        share = numpy.abs(got / self.information[parts])
        return numpy.where(self.heard[parts], (share - self.known[parts]) / self.sigma[parts], -numpy.inf)


@dataclass
class Chunk:
    """Rows that are looked at together."""

    rows: slice
    common: numpy.ndarray  # loud directions, [n, D]
    own: list              # directions of each row, [rows, D] each

    def take_out(self, errors):
        """[..., rows, D], whitened."""
        errors = errors - (errors @ self.common.T) @ self.common
        for direction in self.own:
            errors -= (errors * direction).sum(-1, keepdims=True) * direction
        return errors


def loud_directions(values, noise):
    """Of values whose keys make half a percent and more of the noise, at most LOUD."""
    keys = numpy.argsort(-noise)[:64]
    keys = keys[noise[keys] >= 0.005]
    left, norms, directions = values[keys].copy(), squares(values[keys]), []
    while len(keys) and len(directions) < LOUD:
        share = noise[keys] * squares(left) / norms
        loudest = int(share.argmax())
        if share[loudest] < 0.005:
            break
        directions.append(left[loudest] / numpy.linalg.norm(left[loudest]))
        left -= numpy.outer(left @ directions[-1], directions[-1])
    return numpy.array(directions, values.dtype).reshape(-1, values.shape[1])


def add_direction(directions, vectors):
    for direction in directions:
        vectors = vectors - numpy.einsum("rd,rd->r", vectors, direction)[:, None] * direction
    length = numpy.linalg.norm(vectors, axis=1, keepdims=True)
    directions.append(numpy.where(length > 1e-9, vectors / numpy.maximum(length, 1e-30), 0))


class Trial:
    """One right run, audited; mistakes are made in it afterwards."""

    def __init__(self, keys, sharpness, form, generator):
        self.form = form
        normal = lambda rows: generator.standard_normal((rows, COLUMNS), dtype=numpy.float32)
        self.v = Format("fp8", 3, -6, 0).round(normal(keys))
        p, kernel, plain = attend(normal(ROWS[-1]) * numpy.float32(sharpness), normal(keys), self.v, form)
        sums = p.sum(1, dtype=float, keepdims=True)
        v = self.v.astype(float)
        self.p, self.kernel = p, kernel
        self.total = sums[:, 0]
        self.numerator = kernel @ v  # what mistakes are added to
        self.o = p @ v / sums
        self.scale = numpy.sqrt((v * v).mean(0))
        self.white = (v / self.scale).astype(numpy.float32)
        self.white_o = self.o / self.scale
        got = self.error(self.numerator, self.total)
        of_plain = self.error(plain @ v, self.total)
        self.weight = numpy.zeros(ROWS[-1])
        self.chunks, self.keys, self.tiles = [], {}, {}
        of_keys, of_tiles = Sums(keys), Sums(keys // TILE)
        starts = [0, 1, *range(CHUNK, ROWS[-1], CHUNK)]
        for first, last in zip(starts, starts[1:] + [ROWS[-1]]):
            self.audit(slice(first, last), got, of_plain, of_keys, of_tiles)
            if last in ROWS:
                self.keys[last], self.tiles[last] = of_keys.copy(), of_tiles.copy()

    def error(self, numerator, total):
        """Whitened, of an output in bf16. [..., rows, D]"""
        return (to_bf16(numerator / total[..., None]) / self.scale - self.white_o).astype(numpy.float32)

    def audit(self, rows, got, plain, of_keys, of_tiles):
        form, p = self.form, self.p[rows] / self.total[rows, None].astype(numpy.float32)
        relative = self.p[rows]  # over the row's largest
        bound = numpy.maximum(form.bound, numpy.minimum(1, form.step / 2 / numpy.maximum(relative, 1e-37)))
        deviation = numpy.maximum(form.deviation, numpy.minimum(1, form.step / math.sqrt(12) / numpy.maximum(relative, 1e-37)))
        noise = (p * deviation) ** 2
        values = self.white
        o = self.white_o[rows].astype(numpy.float32)
        along = (o / numpy.linalg.norm(o, axis=1, keepdims=True)) @ values.T
        across = noise * numpy.maximum(squares(values) - along * along, 0)
        ulp = 2.0 ** (numpy.floor(numpy.log2(numpy.maximum(numpy.abs(self.o[rows]), 1e-30))) - 7)
        rounding = squares(ulp / self.scale) / 12
        common = loud_directions(values, (across / (across.sum(1) + rounding)[:, None]).mean(0))
        if len(common):
            values = values - (values @ common.T) @ common
        directions = []
        add_direction(directions, o - (o @ common.T) @ common)
        small = relative < form.step * 2.0**form.mantissa
        if (numpy.where(small, p, 0).sum(1) > 0.1 * numpy.sqrt(noise.sum(1))).any():
            vanishing = relative < form.step / 2
            add_direction(directions, numpy.where(vanishing, p, 0) @ values)
            add_direction(directions, numpy.where(small & ~vanishing, p, 0) @ values)
        chunk = Chunk(rows, common, directions)
        self.chunks.append(chunk)
        norms = squares(values)
        heard = numpy.broadcast_to(norms, p.shape).copy()
        for direction in directions:
            heard -= (direction @ values.T) ** 2
        heard = numpy.maximum(heard, 0)
        left = COLUMNS - len(common) - len(directions)
        loud = noise * heard
        sum_loud, fourth = loud.sum(1) + rounding, squares(loud)
        spread = numpy.maximum(fourth, (sum_loud - rounding) ** 2 / left) + rounding**2 / left
        freedom = numpy.minimum(left, sum_loud**2 / spread)
        self.weight[rows] = weight = 1 / (sum_loud / left * (1 + 4 / freedom))
        heard[heard < LEAST_HEARD * norms] = 0
        self.add(of_keys, of_tiles, p, values, p * p * heard, deviation, bound, weight[:, None], chunk,
                 chunk.take_out(got[rows]), chunk.take_out(plain[rows]))

    def add(self, of_keys, of_tiles, p, values, square, deviation, bound, weight, chunk, got, plain):
        audible = numpy.where(square > 0, p, 0)
        products = [audible * (errors @ values.T) for errors in (got, plain)]
        of_keys.information += (weight * square).sum(0)
        of_keys.own += ((weight * deviation * square) ** 2).sum(0)
        of_keys.floor += (weight * bound * square).sum(0)
        of_keys.got += (weight * products[0]).sum(0)
        of_keys.plain += (weight * products[1]).sum(0)
        by_tile = lambda x: x.reshape(len(x), -1, TILE)
        contribution = numpy.matmul(by_tile(p).transpose(1, 0, 2), values.reshape(-1, TILE, COLUMNS))  # [tiles, rows, D]
        whole, across = squares(contribution), squares(contribution)
        for direction in chunk.own:
            across -= numpy.einsum("trd,rd->tr", contribution, direction) ** 2
        across = numpy.where(across < LEAST_HEARD * whole, 0, across).T
        said = weight * (across > 0)
        floor = self.form.bound * numpy.sqrt(squares(by_tile(square))) + by_tile((bound - self.form.bound) * square).sum(2)
        of_tiles.information += (weight * across).sum(0)
        of_tiles.own += (said**2 * squares(by_tile(deviation * square))).sum(0)
        of_tiles.floor += (said * floor).sum(0)
        of_tiles.got += (said * by_tile(products[0]).sum(2)).sum(0)
        of_tiles.plain += (said * by_tile(products[1]).sum(2)).sum(0)

    def largest_z(self, rows):
        return max(Rule(sums).z(sums.got).max() for sums in (self.keys[rows], self.tiles[rows]))

    def heard_of(self, numerators, totals, keys):
        """For each mistake and number of rows, whether the tile of `keys` or one of them fails. [ROWS, mistakes]"""
        errors = self.error(numerators, totals)
        keys = numpy.asarray(keys)
        tile, values = keys[0] // TILE, self.white[keys[0] // TILE * TILE:][:TILE]
        p = self.p[:, tile * TILE:][:, :TILE] / self.total[:, None]
        of_rows = numpy.empty((len(errors), ROWS[-1], TILE))  # <e, p v>, weighted
        for chunk in self.chunks:
            products = chunk.take_out(errors[:, chunk.rows]) @ values.T
            of_rows[:, chunk.rows] = self.weight[chunk.rows, None] * p[chunk.rows] * products
        caught = []
        for rows in ROWS:
            got = of_rows[:, :rows].sum(1)
            of_tile = Rule(self.tiles[rows]).z(got.sum(1)[:, None], [tile])[:, 0]
            of_keys = Rule(self.keys[rows]).z(got[:, keys - tile * TILE], keys).max(1)
            caught.append(numpy.maximum(of_tile, of_keys) > SIGMAS)
        return numpy.array(caught)

    def wrong_scales(self, tile):
        """V of a tile too large by each of ERRORS."""
        keys = slice(tile * TILE, (tile + 1) * TILE)
        contribution = self.kernel[:, keys] @ self.v[keys].astype(float)
        numerators = self.numerator + ERRORS[:, None, None] * contribution
        return self.heard_of(numerators, numpy.broadcast_to(self.total, (len(ERRORS), ROWS[-1])), range(tile * TILE, (tile + 1) * TILE))

    def wrong_keys(self, tile, generator):
        """The first WRONG_KEYS of a tile, K and V, are those of keys elsewhere."""
        heard = []
        for count in WRONG_KEYS:
            keys = numpy.arange(tile * TILE, tile * TILE + count)
            others = (keys + TILE * generator.integers(1, len(self.v) // TILE)) % len(self.v)
            change = self.kernel[:, others] @ self.v[others].astype(float) - self.kernel[:, keys] @ self.v[keys].astype(float)
            total = self.total + self.p[:, others].sum(1) - self.p[:, keys].sum(1)
            heard.append(self.heard_of((self.numerator + change)[None], total[None], keys))
        return numpy.concatenate(heard, axis=1)
