"""The forest plot of a gate ab run as SVG: a row for each point with its ratio and interval, the threshold shaded. Written by hand,
so that it needs nothing but Python. Verdicts differ by shape as well as by colour (after Okabe and Ito's, which the colour-blind
tell apart); the picture brings its own ground, light or dark as the reader has it, for it may stand on a page of either."""

import math
from xml.sax.saxutils import escape

from ecbench.gate.ab import wording
from ecbench.gate.ab.verdict import FASTER, FINE, INCONCLUSIVE, SLOWER

ROW, TOP, FOOT, EDGE = 22, 74, 58, 16
GAP = 20  # between the plot and the text on either side, where arrows may stand
PLOT = 380  # pixels of the plot's width
FIGURES = 262  # of the column of figures to its right
LETTER, BOLD_LETTER = 6.9, 7.9  # pixels, in DejaVu Sans at 12, which is wider than most: names never reach the edge
BOLD = (SLOWER, INCONCLUSIVE)
MOST_PERCENT = 50  # what lies farther out is an arrow
STEPS = (0.5, 1, 2, 5, 10, 25)  # percent between ticks

STYLE = """
svg { color-scheme: light dark; font: 12px system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif }
.ground { fill: #ffffff } .ink { fill: #1b1f24 } .faint { fill: #57606a } .title { font-size: 15px; font-weight: 600 }
.grid { stroke: #d8dce1 } .one { stroke: #57606a }
.band { fill: #0072b2; fill-opacity: .09 } .every { fill: #8c959f; fill-opacity: .09 }
.slower { fill: #c04f00; stroke: #c04f00 } .faster { fill: #0072b2; stroke: #0072b2 } .fine { fill: #57606a; stroke: #57606a }
.inconclusive { fill: #ffffff; stroke: #a3528a }
text.slower, text.faster, text.fine, text.inconclusive { stroke: none } text.inconclusive { fill: #a3528a }
.slower, .inconclusive { font-weight: 600 }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } .ink { fill: #e6edf3 } .faint { fill: #9aa4af } .grid { stroke: #2d333b } .one { stroke: #9aa4af }
.band { fill: #56b4e9; fill-opacity: .13 } .slower { fill: #f08a3c; stroke: #f08a3c } .faster { fill: #56b4e9; stroke: #56b4e9 }
.fine { fill: #9aa4af; stroke: #9aa4af } .inconclusive { fill: #0d1117; stroke: #e39cc8 } text.inconclusive { fill: #e39cc8 }
}
"""


class Scale:
    """From a ratio to pixels, as wide as the intervals and at least twice the threshold to either side."""

    def __init__(self, points, threshold, left):
        ends = [abs(100 * (value - 1)) for point in points for value in (point["ratio"], point["low"], point["high"])
                if value is not None]
        wanted = max([2 * threshold, 1, *ends]) * 1.04
        self.step = next((step for step in STEPS if min(wanted, MOST_PERCENT) / step <= 5), STEPS[-1])
        self.reach = min(math.ceil(wanted / self.step) * self.step, MOST_PERCENT)
        self.left = left

    def x(self, ratio):
        percent = max(-self.reach, min(self.reach, 100 * (ratio - 1)))
        return round(self.left + PLOT * (percent / self.reach + 1) / 2, 1)

    def holds(self, ratio):
        return abs(100 * (ratio - 1)) <= self.reach

    def ticks(self):
        count = int(self.reach / self.step + 1e-9)
        return [1 + number * self.step / 100 for number in range(-count, count + 1)]


def forest(result):
    points, threshold = result["points"], result["threshold_percent"]
    left = EDGE + round(max(map(name_width, points), default=0)) + GAP
    scale = Scale(points, threshold, left)
    bottom = TOP + ROW * len(points)
    width, height = left + PLOT + GAP + FIGURES, bottom + FOOT
    title = wording.outcome(result)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{quoted(title)}">', f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{width}" height="{height}"/>', text(EDGE, 26, title, "ink title"),
        text(EDGE, 46, clipped(sides(result), width), "faint"),
        *[f'<rect class="every" x="0" y="{TOP + ROW * number}" width="{width}" height="{ROW}"/>'
          for number in range(0, len(points), 2)], *frame(scale, threshold, bottom)]
    for number, point in enumerate(points):
        parts += row(point, scale, TOP + ROW * number + ROW // 2, left)
    parts += [*legend(left, bottom + 46), "</svg>"]
    return "\n".join(parts) + "\n"


def name_width(point):
    return len(point["name"]) * (BOLD_LETTER if point["verdict"] in BOLD else LETTER)


def sides(result):
    return (f"time of NEW over time of OLD, OLD {wording.side(result['old'])}, NEW {wording.side(result['new'])}; shaded: within "
            f"{result['threshold_percent']:g} %")


def frame(scale, threshold, bottom):
    """The shaded band of the threshold, the ticks and the line of no change."""
    low, high = scale.x(1 - threshold / 100), scale.x(1 + threshold / 100)
    yield (f'<rect class="band" x="{low}" y="{TOP}" width="{round(high - low, 1)}" height="{bottom - TOP}">'
           f"<title>within {threshold:g} %</title></rect>")
    digits = 2 if scale.step >= 1 else 3
    for ratio in scale.ticks():
        kind = "one" if abs(ratio - 1) < 1e-9 else "grid"
        yield f'<line class="{kind}" x1="{scale.x(ratio)}" x2="{scale.x(ratio)}" y1="{TOP}" y2="{bottom}"/>'
        yield text(scale.x(ratio), bottom + 16, f"{ratio:.{digits}f}", "faint", "middle")
    yield text(scale.x(1) - 12, TOP - 8, "\N{LEFTWARDS ARROW} NEW is faster", "faint", "end")
    yield text(scale.x(1) + 12, TOP - 8, "NEW is slower \N{RIGHTWARDS ARROW}", "faint")


def row(point, scale, y, left):
    kind = point["verdict"]
    told = (f"{point['name']}: {kind}, {point['ratio']:.4f} ({wording.interval(point, 4)}), {point['launches']} launches, "
            f"{wording.nanoseconds(point['old_ns_per_iteration'])} to {wording.nanoseconds(point['new_ns_per_iteration'])}")
    strong = "ink" if kind == FINE else kind
    yield f"<g><title>{escape(told)}</title>"
    yield text(left - GAP, y + 4, point["name"], strong, "end")
    if point["low"] is not None:
        ends = [scale.x(point["low"]), scale.x(point["high"])]
        dashes = ' stroke-dasharray="4 3"' if kind == INCONCLUSIVE else ""
        yield f'<line class="{kind}" stroke-width="2" x1="{ends[0]}" x2="{ends[1]}" y1="{y}" y2="{y}"{dashes}/>'
        for value, x in zip((point["low"], point["high"]), ends):
            outwards = 1 if value > 1 else -1
            beside = max(0, 8 - abs(x - scale.x(point["ratio"])))  # the marker would hide it
            yield cap(kind, x, y) if scale.holds(value) else arrow(kind, x + outwards * beside, y, outwards)
    yield marker(kind, scale.x(point["ratio"]), y)
    figures = f"{point['ratio']:.3f} ({wording.interval(point)})"
    yield text(left + PLOT + GAP, y + 4, figures if kind == FINE else f"{figures} {kind}", strong)
    yield "</g>"


def marker(kind, x, y):
    shape = {SLOWER: f"M{x - 5} {y - 5}h10v10h-10z", INCONCLUSIVE: f"M{x - 5} {y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
             FINE: f"M{x - 4} {y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", FASTER: f"M{x} {y - 6}l6 6l-6 6l-6 -6z"}[kind]
    return f'<path class="{kind}" stroke-width="2" d="{shape}"/>'


def cap(kind, x, y):
    return f'<line class="{kind}" stroke-width="2" x1="{x}" x2="{x}" y1="{y - 4}" y2="{y + 4}"/>'


def arrow(kind, x, y, outwards):
    return f'<path class="{kind}" d="M{x} {y - 5}l{6 * outwards} 5l{-6 * outwards} 5z"/>'


def legend(left, y):
    """The marks of the verdicts, under the plot."""
    x = left
    for kind in (SLOWER, INCONCLUSIVE, FINE, FASTER):
        yield marker(kind, x + 6, y - 4)
        yield text(x + 18, y, kind, "ink")
        x += 32 + round(LETTER * len(kind))


def text(x, y, words, kind, anchor="start"):
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{kind}" x="{x}" y="{y}"{where}>{escape(words)}</text>'


def clipped(words, width):
    most = int((width - 2 * EDGE) / LETTER)
    return words if len(words) <= most else words[:most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def quoted(words):
    return escape(words, {'"': "&quot;"})
