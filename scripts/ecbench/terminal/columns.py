"""Formats tables with aligned columns. On a terminal that supports colours, cells can have colours."""

import os
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, TextIO

from ecbench.terminal.console import Coloured, plain

RED, GREEN, YELLOW = "31", "32", "33"


def aligned(lines: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    """Formats lines of cells; all lines must have the same number of cells. The first `left` columns are aligned left, the others
    right."""
    return columns(lines, [number >= left for number in range(len(lines[0]))])


def columns(lines: Sequence[Sequence[str]], to_the_right: Sequence[bool]) -> Iterator[str]:
    widths = [max(map(shown_width, column)) for column in zip(*lines, strict=True)]
    for cells in lines:
        yield "  ".join(pad(*column) for column in zip(cells, widths, to_the_right, strict=True)).rstrip()


def print_columns(titles: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO, right: Collection[str] = (),
                  colour_of: Callable[[list[str]], str | None] = lambda row: None) -> None:
    """`right`: the titles of the columns that are aligned right. `colour_of(row)`: the colour of the row's first cell on a
    terminal."""
    lines = [[plain(cell) for cell in cells] for cells in (titles, *rows)]
    for cells, line in zip(lines, columns(lines, [title in right for title in titles]), strict=True):
        colour = colour_of(cells) if cells is not lines[0] and supports_colours(out) else None
        out.write(Coloured(f"\x1b[{colour}m{cells[0]}\x1b[0m{line[len(cells[0]):]}\n") if colour else f"{line}\n")


def supports_colours(out: TextIO) -> bool:
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def pad(cell: str, width: int, to_the_right: bool) -> str:
    space = " " * (width - shown_width(cell))
    return space + cell if to_the_right else cell + space


def shown_width(text: str) -> int:
    return sum(0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
