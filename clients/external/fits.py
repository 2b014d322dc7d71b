"""Expressions that give a number of every run, from what was varied. Few forms, and none that as many runs as it has constants
would always fit: what fits must have been able not to."""
import fractions
import itertools

CHUNKS = (16, 32, 64, 128, 256)  # tiles of a grid


def whole(number):
    return number.denominator == 1


def scaled(factor, text):
    if factor == 1:
        return text
    if whole(factor):
        return f"{factor.numerator} * {text}"
    return f"{text} // {factor.denominator}" if factor.numerator == 1 else f"{factor.numerator} * {text} // {factor.denominator}"


def line_through(xs, values):
    """(a, b) with values = a x + b in all runs, or None."""
    pairs = sorted(set(zip(xs, values)))
    if len(pairs) < 2 or len({x for x, _ in pairs}) != len(pairs):
        return None
    (x0, v0), (x1, v1) = pairs[:2]
    a = fractions.Fraction(v1 - v0, x1 - x0)
    b = v0 - a * x0
    return (a, b) if whole(b) and all(a * x + b == v for x, v in pairs) and len(pairs) > 2 else None


def terms(runs):
    """What numbers are made of: (text, value in each run, how complicated it is)."""
    names = sorted(runs[0])
    for name in names:
        yield name, [run[name] for run in runs], 1
    for one, other in itertools.combinations_with_replacement(names, 2):
        yield f"{one} * {other}", [run[one] * run[other] for run in runs], 3
    for name, chunk in itertools.product(names, CHUNKS):
        yield f"ceil_div({name}, {chunk})", [-(-run[name] // chunk) for run in runs], 2


def fits(runs, values):
    """Expressions that give `values`, the simplest alone or, of several that are as simple, all. `runs`: a dict of what was
    varied for each."""
    if len(set(values)) == 1:
        return [str(values[0])]
    found = []
    for text, of_term, complicated in terms(runs):
        line = line_through(of_term, values)
        if line is None or line[0] == 0:
            continue
        a, b = line
        expression = scaled(a, text) + (f" + {b}" if b > 0 else f" - {-b}" if b < 0 else "")
        cut = not whole(a)  # a division that rounds down drops the last tile of other lengths
        found.append((complicated + (a != 1) + 2 * (b != 0) + 2 * cut, expression))
    if not found:
        return []
    simplest = min(rank for rank, _ in found)
    return [expression for rank, expression in found if rank == simplest]
