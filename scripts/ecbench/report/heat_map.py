"""Draws heat maps of GB/s. A colour means the same speed in all maps of a page. The fastest cell has a star and a thick outline,
its ties an equals sign and a dashed outline; if the result is inconclusive, all of them have a question mark. The left edge is
hatched if padding is more than a quarter of the object. All information is visible without colours."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from ecbench.charts.drawing import PANEL_WIDTH, margins, new_figure, text_width, to_svg, wrapped
from ecbench.report.axes import PACKETSIZE, TECHNIQUE, Axes, ordered, value_of, value_text
from ecbench.report.cases import Entry, outcome_text, ranked
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

MUCH_PADDING = 25.0  # percent of the object
CELL_HEIGHT, CELL_WIDTH, BOTTOM = 21, 54, 8
HEADING = 10  # font size
COLOURS = colormaps["cividis"]
DARK_TEXT, LIGHT_TEXT = "#1b1f20", "#fefefe"  # text on bright and on dark cells, in both modes of the page


@dataclass(frozen=True)
class Scale:
    """The lowest and the highest GB/s of all cells of a page. The colours between them are logarithmic."""

    low: float
    high: float

    def share(self, gb_per_s: float) -> float:
        return math.log(gb_per_s / self.low) / math.log(self.high / self.low) if self.high > self.low else 1.0

    def brightness(self, gb_per_s: float) -> float:
        red, green, blue, _ = COLOURS(self.share(gb_per_s))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    @property
    def css(self) -> str:
        """The colours as a CSS gradient."""
        stops = (to_hex(COLOURS(number / 8)) for number in range(9))
        return f"linear-gradient(to right, {', '.join(stops)})"


def scale_of(entries: Iterable[Entry]) -> Scale:
    values = [entry.gb_per_s for entry in entries]
    return Scale(min(values), max(values))


def has_heat_map(entries: Sequence[Entry], axes: Axes) -> bool:
    return len(ordered(value_of(entry, axes.rows) for entry in cells_of(entries, axes))) > 1


def cells_of(entries: Sequence[Entry], axes: Axes) -> list[Entry]:
    """If packetsize is an axis, entries without packetsize have no cell."""
    return [entry for entry in entries if PACKETSIZE not in (axes.rows, axes.columns) or entry.packetsize is not None]


def draw_heat_map(title: str, entries: Sequence[Entry], axes: Axes, scale: Scale) -> str:
    """The heat map as SVG. `entries` is one group of axes.grouped()."""
    cells = cells_of(entries, axes)
    columns = ordered(value_of(entry, axes.columns) for entry in cells)
    rows = ordered(value_of(entry, axes.rows) for entry in cells)
    found = ranked(cells)
    best, tie = "??" if found.inconclusive else "★="
    signs = {found.first: best, **dict.fromkeys(found.ties, tie)}
    left = max(66, *(10 + text_width(value_text(axes.rows, row), 10.5) for row in rows))
    headings = headings_of(cells, axes.columns, columns)
    longest = max(text_width(line, HEADING) for text in headings for line in text.split("\n"))
    cell_width = max(CELL_WIDTH, longest + 4, min(84, (PANEL_WIDTH - left - 4) / len(columns)))
    width = left + cell_width * len(columns) + 4
    top = 10 + 13 * max(2, *(text.count("\n") + 1 for text in headings))
    figure = new_figure(max(width, PANEL_WIDTH), top + BOTTOM + CELL_HEIGHT * len(rows))
    margins(figure, left, max(4, PANEL_WIDTH - width + 4), BOTTOM, top)
    plot = figure.add_subplot()
    places = {entry: (columns.index(value_of(entry, axes.columns)), rows.index(value_of(entry, axes.rows))) for entry in cells}
    paint(plot, places, len(columns), len(rows), scale)
    for entry, place in places.items():
        write_cell(plot, place, entry, signs.get(entry, ""), DARK_TEXT if scale.brightness(entry.gb_per_s) > 0.5 else LIGHT_TEXT)
    label_axes(plot, headings, [value_text(axes.rows, row) for row in rows], axes.rows, left)
    outcome = outcome_text(cells) if len({entry.case for entry in cells}) == 1 else f"highest is {found.first}"
    return to_svg(figure, f"Heat map of GB/s by {axes.columns} and {axes.rows}. {title}: {outcome}")


def paint(plot: Any, places: Mapping[Entry, tuple[int, int]], columns: int, rows: int, scale: Scale) -> None:
    values = numpy.full((rows, columns), numpy.nan)
    for entry, (column, row) in places.items():
        values[row, column] = scale.share(entry.gb_per_s)
    plot.pcolormesh(numpy.ma.masked_invalid(values), cmap=COLOURS, vmin=0, vmax=1, edgecolors="white", linewidth=1)
    plot.set_xlim(0, columns)
    plot.set_ylim(rows, 0)


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


def label_axes(plot: Any, headings: Sequence[str], rows: Sequence[str], name: str, left: float) -> None:
    plot.xaxis.tick_top()
    plot.set_xticks([column + 0.5 for column in range(len(headings))], headings, fontsize=HEADING)
    plot.set_yticks([row + 0.5 for row in range(len(rows))], rows)
    plot.annotate(wrapped(f"{name} (bytes)" if name == PACKETSIZE else name.replace("-", " "), 10), (0, 1), (4 - left, 4),
                  xycoords="axes fraction", textcoords="offset points", ha="left", va="bottom", fontsize=10)
    plot.tick_params(length=0, pad=3)
    plot.spines[:].set_visible(False)


def headings_of(cells: Sequence[Entry], axis: str, columns: Sequence[Any]) -> list[str]:
    """Without the plugin if all cells have the same."""
    texts = [value_text(axis, value) for value in columns]
    plugins = {entry.series.plugin for entry in cells}
    if axis == TECHNIQUE and len(plugins) == 1:
        texts = [text.removeprefix(f"{min(plugins)} ") for text in texts]
    return [wrapped(text, 9) for text in texts]
