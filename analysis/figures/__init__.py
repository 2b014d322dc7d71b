"""Figures of modelled performance, one file each: FIGURES names them in the order of the report."""

from dataclasses import dataclass
from typing import Callable

from figures import bars, energy, paging, pareto, roofline, speedup, stalls


@dataclass(frozen=True)
class Figure:
    name: str
    title: str
    draw: Callable  # runs -> matplotlib figure, or None where the records have nothing for it
    reading: str    # how to read it, one or two sentences of plain text


FIGURES = tuple(Figure(module.NAME, module.TITLE, module.draw, module.READING)
                for module in (bars, speedup, roofline, pareto, stalls, energy, paging))
