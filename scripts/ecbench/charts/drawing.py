"""What all charts share: matplotlib set up for small, legible SVG that can stand in a page beside others, and the looks of a
series. Colours are Okabe and Ito's, which the colour-blind tell apart; markers and dashes say the same once more."""

import io
import itertools
import re

import matplotlib

matplotlib.use("svg")
matplotlib.rcdefaults()  # whatever the user's matplotlibrc says
from matplotlib.figure import Figure  # noqa: E402  (after the choice of the backend)

INK, FAINT, LIMIT = "#1b1f24", "#d8dce1", "#57606a"
matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "ecbench", "font.size": 11, "axes.edgecolor": "#8c959f", "axes.linewidth": 0.8,
    "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK, "xtick.labelsize": 10.5,
    "ytick.labelsize": 10.5, "grid.color": FAINT, "grid.linewidth": 0.7, "hatch.linewidth": 1.1, "path.simplify": True})

PANEL_WIDTH = 344  # in CSS pixels: as wide as a telephone's page
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))


class Looks:
    """The same colour, marker and dashes for a series in all charts of a page."""

    def __init__(self, series):
        self._looks = {}
        for number, one in enumerate(dict.fromkeys(series)):
            self._looks[one] = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)],
                                "linestyle": DASHES[number % len(DASHES)]}

    def __getitem__(self, series):
        return self._looks[series]


_numbers = itertools.count(1)


def new_figure(width, height):
    """In CSS pixels, as the SVG is shown in its natural size."""
    return Figure(figsize=(width / 72, height / 72), dpi=72)


def margins(figure, left, right, bottom, top):
    """Of the plots in a figure, in pixels: fixed, because matplotlib takes long to find them by itself."""
    width, height = figure.get_size_inches() * 72
    figure.subplots_adjust(left=left / width, right=1 - right / width, bottom=bottom / height, top=1 - top / height)


def plain_axes(axes):
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, axis="y")
    axes.set_axisbelow(True)
    axes.tick_params(length=3)


def legend_below(figure, handles, height):
    """In two columns at the foot of the figure, in the `height` pixels that legend_height gives."""
    if handles:
        figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 0), ncol=2, frameon=False, fontsize=10.5,
                      handlelength=2.6, columnspacing=1.0, borderaxespad=0.2, labelspacing=0.35)
    return height


def legend_height(count):
    return 8 + 15 * ((count + 1) // 2)


def to_svg(figure, description):
    """The figure as an element of a page: no names that another figure has, no namespaces, nothing that no reader sees."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", _shorten_tag, text)
    text = _rename_ids(text, f"c{next(_numbers)}-")
    text = re.sub(r">\s+<", "><", text)
    width, height = (round(inches * 72) for inches in figure.get_size_inches())
    head = f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{_quoted(description)}">'
    return head + text[text.index(">") + 1:].strip()


def _shorten_tag(match):
    """A hundredth of a pixel is enough."""
    tag = re.sub(r"(\.\d\d)\d+", r"\1", match[0])
    tag = re.sub(r' (xmlns(:\w+)?|version)="[^"]*"', "", tag)
    return re.sub(r"\s+", " ", tag)


def _rename_ids(text, prefix):
    used = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    text = re.sub(r' id="([^"]+)"', lambda match: f' id="{prefix}{match[1]}"' if match[1] in used else "", text)
    text = text.replace('href="#', f'href="#{prefix}')
    return text.replace("url(#", f"url(#{prefix}")


def _quoted(text):
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
