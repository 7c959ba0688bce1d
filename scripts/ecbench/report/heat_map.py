"""The heat map of a case: rows are packetsizes, columns are techniques, cells are GB/s. The fastest cell has a star and a thick
outline, its ties an equals sign and a dashed outline. If the fastest is inconclusive, all cells that may be it have a question mark
and a dashed outline. If padding is more than a quarter of the object, the edge of the cell is hatched. No information depends on
colour."""

from collections.abc import Sequence
from typing import Any

import numpy
from ecbench.charts.drawing import INK, PANEL_WIDTH, margins, new_figure, to_svg
from ecbench.report.cases import Entry, Series, by_series, outcome_text, ranked
from matplotlib import colormaps
from matplotlib.patches import Rectangle

MUCH_PADDING = 25.0  # percent of the object
CELL_HEIGHT, CELL_WIDTH, LEFT, BOTTOM = 21, 54, 66, 8
COLOURS = colormaps["cividis"]


def has_heat_map(entries: Sequence[Entry]) -> bool:
    return len({entry.packetsize for entry in entries if entry.packetsize is not None}) > 1


def draw_heat_map(title: str, entries: Sequence[Entry]) -> str:
    """The SVG. All `entries` belong to one case."""
    cells = [entry for entry in entries if entry.packetsize is not None]
    columns = list(by_series(cells))
    rows = sorted({entry.packetsize or 0 for entry in cells})
    found = ranked(cells)
    best, tie = "??" if found.inconclusive else "★="
    signs = {found.first: best, **dict.fromkeys(found.ties, tie)}
    cell_width = max(CELL_WIDTH, min(84, (PANEL_WIDTH - LEFT - 4) / len(columns)))
    width = LEFT + cell_width * len(columns) + 4
    several = len({series.plugin for series in columns}) > 1
    headings = [heading(series, several) for series in columns]
    top = 10 + 13 * max(2, *(text.count("\n") + 1 for text in headings))
    figure = new_figure(max(width, PANEL_WIDTH), top + BOTTOM + CELL_HEIGHT * len(rows))
    margins(figure, LEFT, max(4, PANEL_WIDTH - width + 4), BOTTOM, top)
    axes = figure.add_subplot()
    paint(axes, cells, columns, rows)
    for entry in cells:
        place = columns.index(entry.series), rows.index(entry.packetsize or 0)
        write_cell(axes, place, entry, signs.get(entry, ""), INK if brightness(entry, cells) > 0.5 else "white")
    label_axes(axes, headings, rows)
    return to_svg(figure, f"Heat map of GB/s by technique and packetsize. {title}: {outcome_text(cells)}")


def shade(entry: Entry, cells: Sequence[Entry]) -> float:
    low, high = min(cell.gb_per_s for cell in cells), max(cell.gb_per_s for cell in cells)
    return (entry.gb_per_s - low) / (high - low) if high > low else 1.0


def brightness(entry: Entry, cells: Sequence[Entry]) -> float:
    red, green, blue, _ = COLOURS(shade(entry, cells))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def paint(axes: Any, cells: Sequence[Entry], columns: Sequence[Series], rows: Sequence[int]) -> None:
    values = numpy.full((len(rows), len(columns)), numpy.nan)
    for entry in cells:
        values[rows.index(entry.packetsize or 0), columns.index(entry.series)] = entry.gb_per_s
    axes.pcolormesh(numpy.ma.masked_invalid(values), cmap=COLOURS, edgecolors="white", linewidth=1)
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(rows), 0)


def write_cell(axes: Any, place: tuple[int, int], entry: Entry, sign: str, ink: str) -> None:
    column, row = place
    is_best = sign == "★"
    if (entry.summary.padding_percent or 0) > MUCH_PADDING:
        axes.add_patch(Rectangle((column + 0.02, row + 0.05), 0.13, 0.9, fill=False, hatch="////", edgecolor=ink, linewidth=0))
    if sign:
        axes.add_patch(Rectangle((column + 0.04, row + 0.09), 0.92, 0.82, fill=False, edgecolor="#D55E00" if is_best else ink,
                                 linewidth=2.2 if is_best else 1.2, linestyle="-" if is_best else (0, (3, 2)), zorder=3))
    axes.text(column + 0.55, row + 0.53, f"{sign} {entry.figure}".strip(), ha="center", va="center", color=ink, fontsize=10.5,
              fontweight="bold" if is_best else "normal")


def label_axes(axes: Any, headings: Sequence[str], rows: Sequence[int]) -> None:
    axes.xaxis.tick_top()
    axes.set_xticks([column + 0.5 for column in range(len(headings))], headings, fontsize=10)
    axes.set_yticks([row + 0.5 for row in range(len(rows))], [str(packetsize) for packetsize in rows])
    axes.text(-0.06, -0.25, "packetsize\n(bytes)", ha="right", va="bottom", fontsize=10, linespacing=1.1)
    axes.tick_params(length=0, pad=3)
    axes.spines[:].set_visible(False)


def heading(series: Series, with_plugin: bool) -> str:
    """A heading; a long name takes two lines, because cells are narrow."""
    words = [series.plugin] if with_plugin else []
    words += [series.technique.replace("_", "_\n", 1)]
    words += series.parameters.split()
    return "\n".join(words)
