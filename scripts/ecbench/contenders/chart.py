"""The chart of one table: a line for each shape and size, on it a mark for each contestant at its GB/s, and the limit. Drawn as SVG
whose colours are the page's, so that it is as legible in the dark. Marks have shapes of their own: colour alone tells nothing."""

import html
import math

from ecbench.point.wording import figure_text
from ecbench.point.point import bytes_text

WIDTH, LEFT, RIGHT, TOP = 344, 64, 14, 24
LINE, HEADING, FOOT = 19, 21, 26
SIZE = 5.2  # half of a mark's width
TICKS = (1, 2, 5)
FEWEST_TICKS = 3
FARTHEST_BEHIND = 60  # times slower than the fastest of the chart
CLASSES = 9  # .c0 to .c8 of the style sheet


def circle(x, y, size):
    return f'<circle cx="{x}" cy="{y}" r="{size}"/>'


def polygon(points):
    """Of corners around (0, 0), in units of the mark's half width."""
    def draw(x, y, size):
        corners = " ".join(f"{x + dx * size:.1f},{y + dy * size:.1f}" for dx, dy in points)
        return f'<polygon points="{corners}"/>'
    return draw


MARKS = (
    circle,
    polygon(((-.9, -.9), (.9, -.9), (.9, .9), (-.9, .9))),
    polygon(((0, -1.15), (1.1, .85), (-1.1, .85))),
    polygon(((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0))),
    polygon(((0, 1.15), (1.1, -.85), (-1.1, -.85))),
    polygon(((-.35, -1.1), (.35, -1.1), (.35, -.35), (1.1, -.35), (1.1, .35), (.35, .35), (.35, 1.1), (-.35, 1.1), (-.35, .35),
             (-1.1, .35), (-1.1, -.35), (-.35, -.35))),
    polygon(((-1.15, 0), (.85, -1.1), (.85, 1.1))),
    polygon(((1.15, 0), (-.85, -1.1), (-.85, 1.1))),
    polygon(((0, -1.2), (1.15, -.35), (.7, 1.05), (-.7, 1.05), (-1.15, -.35))),
)


class Looks:
    """The same mark for a contestant in all charts."""

    def __init__(self, names):
        self._numbers = {name: number for number, name in enumerate(names)}

    def mark(self, name, x, y, title=""):
        number = self._numbers[name]
        told = f"<title>{html.escape(title)}</title>" if title else ""
        return f'<g class="c{number % CLASSES}">{told}{MARKS[number % len(MARKS)](round(x, 1), round(y, 1), SIZE)}</g>'

    def sample(self, name):
        """For the legend."""
        return f'<svg width="16" height="16" viewBox="0 0 16 16" class="chart" aria-hidden="true">{self.mark(name, 8, 8)}</svg>'


class Scale:
    """Logarithmic, from GB/s to pixels. It begins where a contestant is so far behind that the others would have no room."""

    def __init__(self, values, limits):
        self.low = max(0.85 * min(values), max(values) / FARTHEST_BEHIND)
        self.high = 1.12 * max(*values, *limits, 1.2 * self.low)

    def x(self, value):
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def holds(self, value):
        return value >= self.low

    def ticks(self):
        begin, end = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        all_ = [digit * 10.0 ** power for power in range(begin, end + 1) for digit in TICKS]
        found = [tick for tick in all_ if self.low <= tick <= self.high]
        if len(found) > 7:
            found = [tick for tick in found if math.isclose(math.log10(tick) % 1, 0, abs_tol=1e-9)]
        return found if len(found) >= FEWEST_TICKS else sorted({*found, self.low, self.high})


def draw(title, standings, looks):
    """As an element of a page."""
    values = [cell.gb_per_s for standing in standings for cell in standing.cells.values()]
    scale = Scale(values, [standing.limit.gb_per_s for standing in standings if standing.limit])
    shapes = {}
    for standing in standings:
        shapes.setdefault(standing.case.shape, []).append(standing)
    body, y = [], TOP
    for shape, members in shapes.items():
        body.append(f'<text x="0" y="{y + 14}" class="shape">{shape}</text>')
        y += HEADING
        for standing in members:
            body += line(standing, scale, looks, y + LINE / 2)
            y += LINE
        y += 4
    grid = [f'<line class="grid" x1="{scale.x(tick):.1f}" x2="{scale.x(tick):.1f}" y1="{TOP}" y2="{y}"/>'
            f'<text x="{scale.x(tick):.1f}" y="{TOP - 8}" class="tick">{tick_text(tick)}</text>' for tick in scale.ticks()]
    foot = f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{y + 16}" class="tick">GB/s of object, logarithmic</text>'
    told = html.escape(f"GB/s of each contestant by shape and object size: {title}", quote=True)
    box = f'width="{WIDTH}" height="{y + FOOT}" viewBox="0 0 {WIDTH} {y + FOOT}"'
    return (f'<svg class="chart" {box} role="img" aria-label="{told}">'
            + "".join([*grid, *body, foot]) + "</svg>")


def line(standing, scale, looks, y):
    """The marks of a case, the fastest on top."""
    yield f'<text x="{LEFT - 8}" y="{y + 4}" class="size">{bytes_text(standing.case.size)}</text>'
    yield f'<line class="row" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
    if standing.limit:
        x = scale.x(standing.limit.gb_per_s)
        yield (f'<g class="limit"><title>limit, {standing.case}: {figure_text(standing.limit.gb_per_s)} GB/s</title>'
               f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 8}" y2="{y + 8}"/></g>')
    for name in reversed(standing.ranked):
        cell = standing.cells[name]
        mark = looks.mark(name, scale.x(cell.gb_per_s), y, f"{name}, {standing.case}: {figure_text(cell.gb_per_s)} GB/s")
        yield mark if scale.holds(cell.gb_per_s) else f'<g class="behind">{mark}</g>'


def tick_text(value):
    return f"{value:.3g}"
