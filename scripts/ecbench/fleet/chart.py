"""The charts of a report: the speed of each host relative to the median of its class, and the GB/s of the hosts in each case."""

from collections.abc import Mapping, Sequence

from ecbench.charts.drawing import FAINT, INK, Looks, Panel, plain_axes, text_width
from ecbench.fleet.collection import short_name
from ecbench.fleet.figures import Candidate
from ecbench.fleet.results import CaseResult, ClassCase, Results
from ecbench.point.wording import figure_text
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

ROW, TOP, FOOT = 24, 8, 40  # pixels
MOST_CLASSES = 12  # a chart shows at most this many classes, the largest ones
MOST_OUTLIERS = 20
MOST_PROFILES = 3  # at most this many rows per class; one more row if they do not include the profile for all classes
MOST_TOOLTIPS = 64  # the dots of a row have no tooltips if there are more dots than this; outliers always have tooltips
FEWEST_SPREAD = 9  # if a row has at least this many dots, they are moved apart vertically
LONGEST_NAME, SIZE = 92, 10.5  # the largest width of a host's name in pixels, and its font size


class Rows(Panel):
    """A chart of rows with a label and dots."""

    def __init__(self, count: int, left: int, handles: Sequence[Line2D]):
        super().__init__(TOP + ROW * count + FOOT, left, 14, FOOT, TOP, handles)
        self.axes.set_ylim(count - 0.5, -0.5)
        self.axes.xaxis.set_major_locator(MaxNLocator(5))

    def dots(self, row: float, values: Mapping[str, float], titles: Mapping[str, str], **look: object) -> None:
        """`values`, `titles`: of each host."""
        heights = dict(zip(values, spread(row, len(values))))
        if len(values) <= MOST_TOOLTIPS:
            for host, value in values.items():
                self.dot(value, heights[host], titles[host], **look)
        elif values:
            self.axes.plot(list(values.values()), list(heights.values()), linestyle="", clip_on=False, **look)

    def dot(self, value: float, row: float, title: str, **look: object) -> None:
        self.mark(value, row, title, linestyle="", clip_on=False, **look)

    def labelled_svg(self, labels: Sequence[str], x_label: str, description: str) -> str:
        self.axes.set_yticks(range(len(labels)), labels)
        self.axes.set_xlabel(x_label)
        plain_axes(self.axes, "both")
        return self.svg(description)


def spread(row: float, count: int) -> list[float]:
    """The vertical positions of the dots of a row: with FEWEST_SPREAD dots or more, they differ by multiples of the golden
    ratio."""
    if count < FEWEST_SPREAD:
        return [row] * count
    return [row + ((number * 0.618034) % 1 - 0.5) * 0.56 for number in range(count)]


def small(colour: str, marker: str, count: int) -> dict[str, object]:
    return {"color": colour, "marker": marker, "markersize": 6 if count <= MOST_TOOLTIPS else 4, "markeredgewidth": 0,
            "alpha": 0.6}


OUTLIER: dict[str, object] = {"color": INK, "marker": "D", "markersize": 7, "markerfacecolor": "none", "markeredgewidth": 1.6}


def hosts_chart(results: Results) -> str | None:
    """Each outlier has its own row. None if no class has a clean host."""
    classes = [one for one in results.classes[:MOST_CLASSES] if one.clean]
    if not classes:
        return None
    shown = {one.name for one in classes}
    slow = [one for one in results.slow if one.host_class in shown][:MOST_OUTLIERS]
    outliers = {one.host for one in slow}
    labels = []
    for one in classes:
        labels.append(f"class {one.name}")
        labels += [cut(host.host) for host in slow if host.host_class == one.name]
    handles = [Line2D([], [], linestyle="", label="host", **small(INK, "o", 1)),
               Line2D([], [], linestyle="", label="outlier", **OUTLIER)]
    rows = Rows(len(labels), 12 + max(round(text_width(label, SIZE)) for label in labels), handles[:2 if slow else 1])
    rows.axes.axvline(0, color=FAINT, linewidth=2)
    row = 0
    for one in classes:
        values = {host.name: percent(results.ratios[host.name]) for host in one.clean
                  if host.name in results.ratios and host.name not in outliers}
        rows.dots(row, values, {name: f"{name}: {value:+.1f} %" for name, value in values.items()},
                  **small(INK, "o", len(values)))
        for host in (host for host in slow if host.host_class == one.name):
            row += 1
            rows.dot(percent(host.ratio), row, str(host), **OUTLIER)
        row += 1
    return rows.labelled_svg(labels, "% faster than the median of the class",
                    f"Speed of {len(results.ratios)} hosts relative to their class. {len(slow)} outliers: "
                    f"{', '.join(map(str, slow)) or 'none'}.")


def percent(ratio: float) -> float:
    return (ratio - 1) * 100


def cut(name: str) -> str:
    """A host's name without its domain. If it is too wide, an ellipsis replaces the middle."""
    name = short_name(name)
    if text_width(name, SIZE) <= LONGEST_NAME:
        return name
    kept = next(count for count in range(12, 1, -1) if text_width(shortened(name, count), SIZE) <= LONGEST_NAME or count == 2)
    return shortened(name, kept)


def shortened(name: str, count: int) -> str:
    return f"{name[:count // 2]}…{name[-(count - count // 2):]}"


def case_chart(result: CaseResult, looks: Looks, outliers: set[str]) -> str:
    rows_of = [(one, candidate) for one in result.classes[:MOST_CLASSES] for candidate in chosen(result, one)]
    candidates = list(dict.fromkeys(candidate for _, candidate in rows_of))
    handles = [Line2D([], [], linestyle="", label=str(candidate), markersize=7, color=looks[candidate]["color"],
                      marker=looks[candidate]["marker"]) for candidate in candidates]
    handles.append(Line2D([], [], linestyle="", color=INK, marker="|", markersize=11, markeredgewidth=2.5, label="median"))
    is_named = any(host in outliers for one, candidate in rows_of for host in one.figures[candidate].hosts)
    handles += [Line2D([], [], linestyle="", label="outlier", **OUTLIER)] if is_named else []
    rows = Rows(len(rows_of), 28, handles)
    labels, known = [], ""
    for row, (one, candidate) in enumerate(rows_of):
        name = one.host_class.name
        labels.append(name if name != known else "")
        if known and name != known:
            rows.axes.axhline(row - 0.5, color=FAINT, linewidth=1)
        known = name
        draw_row(rows, row, one, candidate, looks, outliers)
    return rows.labelled_svg(labels, "GB/s of object", f"GB/s of each host, by class and profile: {result.case.title}")


def draw_row(rows: Rows, row: int, one: ClassCase, candidate: Candidate, looks: Looks, outliers: set[str]) -> None:
    figure = one.figures[candidate]
    usual = {host: value for host, value in figure.hosts.items() if host not in outliers}
    titles = {host: f"{host}, {candidate}: {figure_text(value)} GB/s" for host, value in figure.hosts.items()}
    rows.dots(row, usual, titles, **small(looks[candidate]["color"], looks[candidate]["marker"], len(usual)))
    for host, value in figure.hosts.items():
        if host in outliers:
            rows.dot(value, row, titles[host], **OUTLIER)
    rows.dot(figure.estimate.median, row, f"median of class {one.host_class.name}, {candidate}: "
             f"{figure_text(figure.estimate.median)} GB/s", color=INK, marker="|", markersize=15, markeredgewidth=2)


def chosen(result: CaseResult, one: ClassCase) -> list[Candidate]:
    """The fastest profiles of a class, and the profile that the report selects for all classes."""
    found = list(one.figures)[:MOST_PROFILES]
    if len(result.classes) > 1 and result.for_all and result.for_all.candidate not in found:
        found.append(result.for_all.candidate)
    return found
