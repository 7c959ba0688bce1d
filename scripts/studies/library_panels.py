"""Draws the panels of library_chart.py. This module needs matplotlib."""

from collections.abc import Sequence

from ecbench.charts.drawing import COLOURS, LIMIT, margins, new_figure, plain_axes, to_svg_file
from ecbench.comparison.comparison import Comparison
from ecbench.point.wording import figure_text
from matplotlib.axes import Axes

OWN = ("simd", "simd XOR", "simd-xor")  # plugins of ecbench; no Ceph release can load them
Result = tuple[Comparison, float | None]  # the libraries of a case, and its roofline in GB/s
PANEL, LINE, TOP, FOOT, NAMES = 400, 19, 34, 42, 116  # pixels


def draw(axes: Axes, title: str, result: Result, right: float) -> None:
    found, limit = result
    speeds = sorted(((cell.speed, name) for name, cell in found.candidates.items()), key=lambda pair: pair[0].median)
    for row, (speed, name) in enumerate(speeds):
        axes.barh(row, speed.median, height=0.68, color=COLOURS[1] if name in OWN else COLOURS[0])
        low, high = (speed.median if end is None else end for end in (speed.low, speed.high))
        axes.plot([low, high], [row, row], color=LIMIT, linewidth=1.6)
        axes.text(max(speed.median, high) + right / 90, row, figure_text(speed.median), va="center", fontsize=10)
    if limit:
        axes.axvline(limit, color=LIMIT, linestyle=(0, (4, 2)))
        axes.text(limit, len(speeds) - 0.35, "roofline", ha="center", fontsize=10, color=LIMIT)
    axes.set_yticks(range(len(speeds)), [name for _, name in speeds])
    axes.set_xlim(0, right)
    axes.set_ylim(-0.6, len(speeds) - 0.4)
    axes.set_title(title, loc="left", fontsize=11.5, fontweight="bold", pad=16)
    axes.set_xlabel("GB/s of object")
    plain_axes(axes, "x")


def chart(panels: Sequence[Sequence[tuple[str, Result]]], caption: str) -> str:
    """Returns the text of an SVG file. `panels`: for each row of the chart, the title and the results of each panel.
    `caption`: what the chart shows, for screen readers."""
    columns = max(map(len, panels))
    results = [result for row in panels for _, result in row]
    lines = max(len(found.candidates) for found, _ in results)
    right = 1.12 * max([*(cell.speed.high or cell.speed.median for found, _ in results for cell in found.candidates.values()),
                        *(limit or 0 for _, limit in results)])
    height = TOP + LINE * lines + FOOT
    figure = new_figure(PANEL * columns, height * len(panels))
    axes = figure.subplots(len(panels), columns, squeeze=False)
    margins(figure, NAMES, 10, FOOT, TOP)
    figure.subplots_adjust(hspace=(TOP + FOOT) / (LINE * lines), wspace=NAMES / (PANEL - NAMES))
    for row, of_row in zip(axes, panels):
        for one, (title, result) in zip(row, of_row):
            draw(one, title, result, right)
        for one in row[len(of_row):]:
            one.set_visible(False)
    return to_svg_file(figure, caption)
