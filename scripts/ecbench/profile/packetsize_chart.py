"""The chart of packetsize_profile.py. Points that differ only in the packetsize share a panel, with one bar for each packetsize.
The height of a bar is the number of instructions per byte of the object. This number is also written above the bar. A bar is
divided into parts, one for each class of functions. Each panel has its own scale."""

from collections.abc import Mapping, Sequence

from ecbench.charts.drawing import new_figure
from ecbench.profile import class_rules
from ecbench.profile.bar import Bar
from matplotlib.axes import Axes

# Greys, and colours that colour-blind readers can distinguish (from the palettes of Okabe and Ito, and of Paul Tol). Each class
# has a fixed colour. Most classes also have a hatch, for print without colours.
STYLES = {
    "xor-region": ("#0072B2", ""), "region-set-up": ("#E69F00", "//"), "schedule": ("#009E73", "\\\\"), "memcpy": ("#56B4E9", ".."),
    "shuffle-multiply": ("#CC79A7", "xx"), "table-lookup": ("#D55E00", "++"), "matrix-inversion": ("#F0E442", "--"),
    "multiply-by-two": ("#999999", "oo"), "affine-multiply": ("#882255", "**"), "carryless-multiply": ("#44AA99", "OO"),
    "allocation": ("#AA4499", "||"), "harness": ("#000000", ""), class_rules.OTHER: ("#DDDDDD", ""),
}
COLUMNS = 3


def draw(panels: Mapping[str, Sequence[Bar]], kinds: Sequence[str], paths: Sequence[str]) -> None:
    """`panels`: title → bars. Writes the chart to each path; the suffix of the path determines the file format."""
    columns = min(COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    figure = new_figure(max(460, 374 * columns), 288 * lines + 86)
    axes = list(figure.subplots(lines, columns, squeeze=False).flat)
    for place, (title, rows) in zip(axes, panels.items(), strict=False):
        draw_panel(place, title, rows, kinds)
    for place in axes[len(panels):]:
        place.set_visible(False)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.suptitle("Instructions per byte of the object for each packetsize (callgrind)")
    figure.tight_layout(rect=(0, 0.5 / figure.get_figheight(), 1, 1))
    figure.legend(handles, labels, loc="lower center", ncols=min(len(labels), 4), frameon=False, fontsize="small")
    for path in paths:
        figure.savefig(path, dpi=150)


def draw_panel(place: Axes, title: str, rows: Sequence[Bar], kinds: Sequence[str]) -> None:
    places = range(len(rows))
    bottoms = [0.0] * len(rows)
    for name in kinds:
        heights = [row.ir_per_byte * row.classes.get(name, 0) / 100 for row in rows]
        colour, hatch = STYLES[name]
        place.bar(places, heights, bottom=bottoms, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4,
                  label=class_rules.PHRASES[name])
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights, strict=True)]
    for x, row, top in zip(places, rows, bottoms, strict=True):
        place.annotate(f"{row.ir_per_byte:.2f}", (x, top), xytext=(0, 2), textcoords="offset points", ha="center",
                       fontsize="x-small", rotation=90 if len(rows) > 12 else 0)
    place.set_title(title, fontsize="small", wrap=True)
    place.set_xticks(places, [str(row.packetsize) for row in rows], rotation=45 if len(rows) > 6 else 0, fontsize="small")
    place.set_xlabel("packetsize, bytes")
    place.set_ylabel("instructions per byte of object")
    place.margins(y=0.15)
    for side in ("top", "right"):
        place.spines[side].set_visible(False)
