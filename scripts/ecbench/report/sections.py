"""The sections of the page that have charts. Each chart is in a panel. The number of panels in a section is limited. The page says
how many panels are left out. The figures of these panels are in the table of all points."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ecbench.charts.drawing import Looks
from ecbench.report.axes import IN_PROFILES, PACKETSIZE, TECHNIQUE, Axes, check, grouped, value_of, x_axes
from ecbench.report.axis_chart import draw_axis_chart
from ecbench.report.cache_chart import draw_cache_chart, pairs
from ecbench.report.cases import Entry, by_series, highest
from ecbench.report.heat_map import Scale, cells_of, draw_heat_map, has_heat_map, scale_of
from ecbench.report.machines import Measured
from ecbench.report.profile_chart import draw_profile_chart, place

PANELS = 24  # maximum number for a section; more panels would take long to draw, and readers would not look at them

Draw = Callable[[str], str]  # draws a chart: title → SVG
# A list of pairs. The first part of a pair is the title of a chart, and the second part is a list with one item for each run. Each
# item is also a pair: a function that draws the chart, and the text of a note. If the run has no such chart, the item is None.
Draws = list[tuple[str, list[tuple[Draw, str] | None]]]


@dataclass(frozen=True)
class Panel:
    title: str
    machine: str
    svg: str
    note: str = ""


@dataclass(frozen=True)
class Section:
    anchor: str
    title: str
    how: str
    groups: list[list[Panel]] = field(default_factory=list)  # panels in a group are shown side by side
    left_out: int = 0
    scale: Scale | None = None  # scale of the colours of heat maps


class Work:
    """A section whose panels are not drawn yet."""

    def __init__(self, section: Section, draws: Draws, machines: Sequence[str]) -> None:
        self._chosen = draws[:max(1, PANELS // len(machines))]
        self._machines = machines
        self._section = replace(section, groups=[], left_out=len(draws) - len(self._chosen))

    @property
    def panels(self) -> int:
        return sum(drawing is not None for _, drawings in self._chosen for drawing in drawings)

    def draw(self, advance: Callable[[], None]) -> Section:
        for title, drawings in self._chosen:
            group = []
            for machine, drawing in zip(self._machines, drawings, strict=True):
                if drawing is not None:
                    draw, note = drawing
                    group.append(Panel(title, machine, draw(f"{title}, {machine}" if machine else title), note))
                    advance()
            self._section.groups.append(group)
        return self._section


def plan_sections(all_measured: Sequence[Measured], axes: Axes) -> list[Work]:
    """Those with at least one panel. Throws Refused for an axis that cannot be used; see axes.check()."""
    entries = [entry for measured in all_measured for entry in measured.entries if entry.gb_per_s is not None]
    if entries:
        check(axes, entries)
    looks = Looks(sorted({entry.series for measured in all_measured for entry in measured.entries}))
    machines = [measured.label for measured in all_measured]
    lines = [axes.x] if axes.x else x_axes(entries)
    planned = [heat_maps(all_measured, axes), *((lines_section(axis), axis_charts(all_measured, axis, looks)) for axis in lines),
               (PROFILES, profile_charts(all_measured, looks)), (CACHES, cache_charts(all_measured))]
    return [Work(section, draws, machines) for section, draws in planned if draws]


HEAT_MAPS = Section(
    "heat", "Heat maps",
    "Each cell shows the speed in GB/s: 10^9 bytes of the object per second. Brighter cells are faster. A colour means the same "
    "speed in all maps of the page. ★ and a thick outline mark the fastest cell of a map. = and a dashed outline mark a tie: the "
    "95 % interval of the ratio to the fastest speed contains 1. ? and a dashed outline mark cells that may be the fastest, if the "
    "result is inconclusive. A hatched edge means that the padding is more than 25 % of the object. If a cell is empty, the point "
    "was not measured, or all its measurements failed.")
LINES = (
    "Higher is better. The band around a line shows the 95 % intervals. If two bands do not overlap, the difference is "
    "significant. {} The limit is the speed of a loop that reads and writes as many bytes as the operation, but computes only "
    "XORs. Values that are far above the curves (usually the limit) are in a separate part of the chart, which has another scale.")
PROFILES = Section(
    "profiles", "Encode and decode by k and m",
    "Higher is better. Each mark is the speed of a technique with its fastest packetsize. The vertical stroke in a mark is the "
    "95 % interval. In charts of encode, the x axis shows k/m, and a line connects all marks of a technique. In charts of decode, "
    "the x axis shows k/m/lost chunks, and a line connects only marks with the same k/m.")
CACHES = Section(
    "cache", "Warm against cold",
    "Each technique has two marks: the speed if the chunks are in the cache (warm), and the speed if the chunks are in memory "
    "(cold). If several packetsizes were measured, both marks are for the packetsize with the highest warm speed. The number at "
    "the right is the cold speed divided by the warm speed.")


def lines_section(axis: str) -> Section:
    about_packetsize = ("A horizontal line is a technique that has no packetsize." if axis == PACKETSIZE else
                        "If several packetsizes were measured, the fastest packetsize is shown.")
    return Section(axis, f"GB/s against {axis.replace('-', ' ')}", LINES.format(about_packetsize))


def heat_maps(all_measured: Sequence[Measured], axes: Axes) -> tuple[Section, Draws]:
    used = (axes.rows, axes.columns)
    groups = groups_of(all_measured, used, lambda entries: has_heat_map(entries, axes))
    cells = [entry for of_runs in groups.values() for entries in of_runs for entry in cells_of(entries, axes)]
    scale = scale_of(cells) if cells else None

    def drawing(entries: list[Entry]) -> tuple[Draw, str]:
        assert scale
        return lambda title: draw_heat_map(title, entries, axes, scale), level_note(entries) if PACKETSIZE in used else ""

    title = f"{axes.columns.capitalize()} × {axes.rows}".replace("-", " ")
    return replace(HEAT_MAPS, title=title, scale=scale), draws_of(groups, drawing)


def axis_charts(all_measured: Sequence[Measured], axis: str, looks: Looks) -> Draws:
    groups = groups_of(all_measured, (axis, TECHNIQUE), lambda entries: len({value_of(entry, axis) for entry in entries} -
                                                                            ({None} if axis == PACKETSIZE else set())) > 1)
    return draws_of(groups, lambda entries: (lambda title: draw_axis_chart(title, axis, entries, looks), ""))


def groups_of(all_measured: Sequence[Measured], axes: Sequence[str],
              is_drawn: Callable[[list[Entry]], bool]) -> dict[str, list[list[Entry]]]:
    """Title of a chart → the entries of each run, empty if the run has no such chart."""
    of_runs = [grouped((entry for entries in measured.cases.values() for entry in entries), axes) for measured in all_measured]
    titles = dict.fromkeys(title for groups in of_runs for title in groups)
    found = {title: [groups.get(title, []) for groups in of_runs] for title in titles}
    drawn = {title: [entries if entries and is_drawn(entries) else [] for entries in groups] for title, groups in found.items()}
    return {title: groups for title, groups in drawn.items() if any(groups)}


def draws_of(groups: Mapping[str, list[list[Entry]]], drawing: Callable[[list[Entry]], tuple[Draw, str]]) -> Draws:
    return [(title, [drawing(entries) if entries else None for entries in of_runs]) for title, of_runs in groups.items()]


def level_note(entries: list[Entry]) -> str:
    """The figures of the techniques that have no packetsize, and thus no cell in the heat map."""
    level = [highest(members) for members in by_series(entries).values() if members[0].packetsize is None]
    words = [f"{entry.series.label} {entry.figure}" for entry in sorted(level, key=lambda entry: -entry.gb_per_s)]
    return f"Techniques that have no packetsize: {', '.join(words)} (GB/s)." if words else ""


def profile_charts(all_measured: Sequence[Measured], looks: Looks) -> Draws:
    groups = groups_of(all_measured, (*IN_PROFILES, TECHNIQUE), lambda entries: len(set(map(place, entries))) > 1)
    return draws_of(groups, lambda entries: (lambda title: draw_profile_chart(title, entries, looks), ""))


def cache_charts(all_measured: Sequence[Measured]) -> Draws:
    groups = groups_of(all_measured, ("cache", TECHNIQUE, PACKETSIZE), lambda entries: bool(pairs(entries)))
    return draws_of(groups, lambda entries: (lambda title: draw_cache_chart(title, pairs(entries)), ""))
