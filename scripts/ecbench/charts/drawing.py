"""Functions and settings that all charts share. matplotlib writes a chart as SVG. The SVG is a file, or part of an HTML page. A
chart can have light or dark colours. The series of a chart have the colours of Okabe and Ito, which colour-blind readers can
distinguish. The series also differ in markers and dashes."""

import contextlib
import functools
import io
import itertools
import os
import pathlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ecbench.process import temporary

with contextlib.ExitStack() as stack:
    try:
        pathlib.Path.home()
    except RuntimeError:  # a user without a home directory; matplotlib needs a directory when it is imported
        if "MPLCONFIGDIR" not in os.environ:
            os.environ["MPLCONFIGDIR"] = str(stack.enter_context(temporary.new_folder()))
    import matplotlib

matplotlib.use("svg")
matplotlib.rcdefaults()  # ignores the user's matplotlibrc
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import LogLocator, NullFormatter

INK, FAINT, LIMIT = "#1b1f24", "#d8dce1", "#57606a"
matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "ecbench", "font.size": 11, "axes.edgecolor": "#8c959f", "axes.linewidth": 0.8,
    "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK, "xtick.labelsize": 10.5,
    "ytick.labelsize": 10.5, "grid.color": FAINT, "grid.linewidth": 0.7, "hatch.linewidth": 1.1, "path.simplify": True})

# Variable of page.css → its colour. to_svg() searches matplotlib's output for the colours in LIGHT, so these colours must be
# written as matplotlib writes them.
LIGHT = {"--ink": INK, "--line": FAINT, "--soft": LIMIT, "--paper": "#ffffff", "--edge": "#8c959f"}
DARK = {"--ink": "#e6edf3", "--line": "#30363d", "--soft": "#9aa4af", "--paper": "#0d1117", "--edge": "#6e7681"}
VARIABLES = {colour: name for name, colour in LIGHT.items()}

PANEL_WIDTH = 344  # CSS pixels: the width of a page on a phone
LEGEND_LETTERS = {1: 42, 2: 19}  # number of columns of the legend → number of letters that fit in one column
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", INK, "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))


class Looks:
    """Gives a series the same colour, marker and dashes in all charts of a page."""

    def __init__(self, series: Iterable[object]) -> None:
        self._looks: dict[object, dict[str, Any]] = {}
        for number, one in enumerate(dict.fromkeys(series)):
            self._looks[one] = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)],
                                "linestyle": DASHES[number % len(DASHES)]}

    def __getitem__(self, series: object) -> dict[str, Any]:
        return self._looks[series]


_numbers = itertools.count(1)


def new_figure(width: float, height: float) -> Figure:
    """A figure of `width` by `height` CSS pixels."""
    return Figure(figsize=(width / 72, height / 72), dpi=72)


def margins(figure: Figure, left: float, right: float, bottom: float, top: float) -> None:
    """Sets the margins of the plots in pixels. matplotlib could compute the margins, but this is slow."""
    width, height = figure.get_size_inches() * 72
    figure.subplots_adjust(left=left / width, right=1 - right / width, bottom=bottom / height, top=1 - top / height)


def plain_axes(axes: Axes, grid: str = "y") -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, axis=grid)
    axes.set_axisbelow(True)
    axes.tick_params(length=3)


def legend_below(figure: Figure, handles: Sequence[Any]) -> None:
    """Draws the legend at the bottom of the figure. legend_height() returns the height of the legend."""
    if handles:
        columns = legend_columns(handles)
        for handle in handles:
            handle.set_label(wrapped(handle.get_label(), LEGEND_LETTERS[columns]))
        figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 0), ncol=columns, frameon=False, fontsize=10.5,
                      handlelength=2.6, columnspacing=1.0, borderaxespad=0.2, labelspacing=0.35)


def legend_height(handles: Sequence[Any]) -> int:
    """The height of the legend in pixels, if the width of the figure is PANEL_WIDTH."""
    columns = legend_columns(handles)
    lines = [wrapped(handle.get_label(), LEGEND_LETTERS[columns]).count("\n") + 1 for handle in handles]
    rows = -(-len(lines) // columns)  # matplotlib fills the first column, then the second
    return 8 + max((15 * rows + 12 * sum(line - 1 for line in lines[start:start + rows])
                    for start in range(0, len(lines), rows or 1)), default=0)


def legend_columns(handles: Sequence[Any]) -> int:
    return 2 if all(len(handle.get_label()) <= LEGEND_LETTERS[2] for handle in handles) else 1


class Panel:
    """A figure with one plot, and a legend below it. `height`, `bottom`: without the legend."""

    def __init__(self, height: float, left: float, right: float, bottom: float, top: float, handles: Sequence[Any],
                 width: float = PANEL_WIDTH) -> None:
        foot = legend_height(handles)
        self.figure = new_figure(width, height + foot)
        margins(self.figure, left, right, bottom + foot, top)
        self.axes: Axes = self.figure.add_subplot()
        self._handles = handles
        self._titles: dict[str, str] = {}

    def mark(self, x: float, y: float, title: str, **look: Any) -> None:
        """Draws a mark with a tooltip."""
        gid = f"m{len(self._titles)}"
        self.axes.plot(x, y, gid=gid, **look)
        self._titles[gid] = title

    def svg(self, description: str) -> str:
        legend_below(self.figure, self._handles)
        return to_svg(self.figure, description, self._titles)


@functools.cache
def text_width(text: str, size: float) -> float:
    """The width of the text in pixels, in matplotlib's default font, DejaVu Sans. In page.css, this font is also the first font for
    the text of charts."""
    return float(text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)[0])


def wrapped(text: str, most: int) -> str:
    """Splits the text into lines of at most `most` characters, if possible. A line can end after a space and after the characters
    - _ =, but not at other places."""
    lines = [""]
    for part in re.findall(r"[^ \-_=]*[ \-_=]|[^ \-_=]+$", text):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > most:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def plain_ticks(axis: Axis) -> None:
    """Labels a logarithmic axis at 1, 2, 5, 10, 20, 50 and so on. The labels are decimal numbers, not powers of ten."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=8))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def to_svg(figure: Figure, description: str, titles: Mapping[str, str] | None = None) -> str:
    """Returns the figure as an <svg> element for a page. The element has no namespaces and no metadata. Its ids differ from the ids
    of other figures. `titles` maps the gid of a matplotlib artist to the tooltip of this artist. The colours are variables of
    page.css (--ink …), so that the page can have a dark mode."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", _shorten_tag, text)
    for gid, title in (titles or {}).items():
        text = text.replace(f'<g id="{gid}">', f'<g id="{gid}"><title>{_quoted(title)}</title>')
    text = _rename_ids(text, f"c{next(_numbers)}-")
    text = re.sub(r">\s+<", "><", text)
    text = re.sub("|".join(VARIABLES), lambda match: f"var({VARIABLES[match[0]]}, {match[0]})", text)
    width, height = (round(inches * 72) for inches in figure.get_size_inches())
    head = f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{_quoted(description)}">'
    return head + text[text.index(">") + 1:].strip()


def to_svg_file(figure: Figure, description: str, titles: Mapping[str, str] | None = None) -> str:
    """Returns the text of an SVG file that contains the figure and a background. The colours are light or dark, according to the
    settings of the reader's system."""
    head, body = to_svg(figure, description, titles).split(">", 1)
    style = (f"svg {{ color-scheme: light dark; background: var(--paper) }}\n:root {{ {_variables(LIGHT)} }}\n"
             f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}")
    head = head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ')
    return f"{head}><title>{_quoted(description)}</title><style>{style}</style>{body}\n"


def _variables(colours: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {colour}" for name, colour in colours.items())


def _shorten_tag(match: re.Match[str]) -> str:
    """Shortens numbers to two decimals. Removes namespaces and unnecessary spaces."""
    tag = re.sub(r"(\.\d\d)\d+", r"\1", match[0])
    tag = re.sub(r' (xmlns(:\w+)?|version)="[^"]*"', "", tag)
    return re.sub(r"\s+", " ", tag)


def _rename_ids(text: str, prefix: str) -> str:
    used = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    text = re.sub(r' id="([^"]+)"', lambda match: f' id="{prefix}{match[1]}"' if match[1] in used else "", text)
    text = text.replace('href="#', f'href="#{prefix}')
    return text.replace("url(#", f"url(#{prefix}")


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
