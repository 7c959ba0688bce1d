"""The charts of the page, section by section: their panels, and the text next to them. A page draws a limited number of panels of
each kind. The others are counted, and their figures are in the table of all points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ecbench.charts.drawing import Looks
from ecbench.point.wording import size_text, workload_text
from ecbench.report.cache_chart import draw_cache_chart, pairs
from ecbench.report.cases import Case, Entry, by_series, fastest, same_case
from ecbench.report.findings import case_order
from ecbench.report.heat_map import draw_heat_map, has_heat_map
from ecbench.report.machines import Measured
from ecbench.report.packetsize_chart import draw_packetsize_chart
from ecbench.report.profile_chart import draw_profile_chart, place

PANELS = 24  # per section; more would take long to draw, and readers would not look at them

Draw = Callable[[str], str]  # draws a title's chart as SVG
Draws = list[tuple[str, list[tuple[Draw, str] | None]]]  # titles; a drawing and a note per run (None: no data)


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
    nothing: str  # shown if there are no panels
    groups: list[list[Panel]] = field(default_factory=list)  # panels in a group are shown side by side
    left_out: int = 0


class Work:
    """The panels of a section that will be drawn."""

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


def plan_sections(all_measured: Sequence[Measured]) -> list[Work]:
    looks = Looks(sorted({entry.series for measured in all_measured for entry in measured.entries}))
    machines = [measured.label for measured in all_measured]
    return [Work(section, draws, machines) for section, draws in (
        (HEAT_MAPS, heat_maps(all_measured)), (PACKETSIZES, packetsize_charts(all_measured, looks)),
        (PROFILES, profile_charts(all_measured, looks)), (CACHES, cache_charts(all_measured)))]


HEAT_MAPS = Section(
    "heat", "Technique × packetsize",
    "Each cell is GB/s of object (10^9 bytes per second); brighter is faster, each map from its own slowest to its own fastest. ★ "
    "and a thick outline: the fastest of the map. = and a dashed outline: a tie, the 95 % interval of their ratio reaches 1. ?: "
    "the fastest is inconclusive. A hatched edge: padding of more than 25 % of the object. An empty cell was not measured.",
    "No technique was measured at more than one packetsize.")
PACKETSIZES = Section(
    "packetsize", "GB/s against packetsize",
    "Higher is better. The band around a line is its 95 % interval: if two bands do not overlap, the difference is significant. A "
    "level line is a technique that has no packetsize. The limit is what reading k chunks, XORing them and writing m costs on the "
    "machine. If limit or level lines are far above the curves, the axis is broken below them, and has another scale above.",
    "No technique was measured at more than one packetsize.")
PROFILES = Section(
    "profiles", "Encode and decode by k and m",
    "Higher is better. One line per plugin and technique, each at its best packetsize; the vertical stroke in a mark is the 95 % "
    "interval. The axis has k/m, for decode k/m/chunks lost; decodes of one k/m are joined.",
    "Only one k/m was measured, with one number of lost chunks.")
CACHES = Section(
    "cache", "Warm against cold",
    "Two marks per technique, at the packetsize that is best warm: with the chunks in the cache, and read from memory. The number "
    "at the right is what is left of the speed: cold divided by warm.",
    "No point was measured both warm and cold.")


def heat_maps(all_measured: Sequence[Measured]) -> Draws:
    return of_cases(all_measured, lambda entries: (lambda title: draw_heat_map(title, entries), level_note(entries)))


def packetsize_charts(all_measured: Sequence[Measured], looks: Looks) -> Draws:
    return of_cases(all_measured, lambda entries: (lambda title: draw_packetsize_chart(title, entries, looks), ""))


def of_cases(all_measured: Sequence[Measured], drawing: Callable[[list[Entry]], tuple[Draw, str]]) -> Draws:
    """The cases with several packetsizes."""
    found: Draws = []
    for case in case_order(all_measured):
        of_runs = [measured.cases.get(case, []) for measured in all_measured]
        if any(map(has_heat_map, of_runs)):
            found.append((case.title, [drawing(entries) if has_heat_map(entries) else None for entries in of_runs]))
    return found


def level_note(entries: list[Entry]) -> str:
    """The techniques without packetsize, which have no row in the map."""
    level = [fastest(members) for members in by_series(entries).values() if members[0].packetsize is None]
    words = [f"{entry.series.label} {entry.figure}" for entry in sorted(level, key=lambda entry: -entry.gb_per_s)]
    return f"Without packetsize: {', '.join(words)}." if words else ""


def profile_charts(all_measured: Sequence[Measured], looks: Looks) -> Draws:
    titles: dict[tuple, str] = {}
    grouped: list[dict[tuple, list[Entry]]] = [{} for _ in all_measured]
    for groups, measured in zip(grouped, all_measured, strict=True):
        for case, entries in measured.cases.items():
            key = case.workload, case.size, case.options
            titles.setdefault(key, ", ".join([case.workload, size_text(case.size), *case.extras]))
            groups.setdefault(key, []).extend(entries)

    def drawing(entries: list[Entry]) -> tuple[Draw, str] | None:
        several = len({place(entry) for entry in entries}) > 1
        return (lambda title: draw_profile_chart(title, entries, looks), "") if several else None

    found = [(title, [drawing(groups.get(key, [])) for groups in grouped]) for key, title in titles.items()]
    return [(title, drawings) for title, drawings in found if any(drawings)]


def cache_charts(all_measured: Sequence[Measured]) -> Draws:
    found: Draws = []
    for case in case_order(all_measured):
        if case.option("cache") == "warm":
            drawings = [cache_drawing(measured, case) for measured in all_measured]
            if any(drawings):
                others = [words for name, _, words in case.options if words and name != "cache"]
                title = [workload_text(case.workload, case.erasures), f"{case.k}+{case.m}", size_text(case.size), *others]
                found.append((", ".join(title), drawings))
    return found


def cache_drawing(measured: Measured, case: Case) -> tuple[Draw, str] | None:
    both = [pair for cold in same_case(measured.cases, case, "cache", "cold")
            for pair in pairs(measured.cases.get(case, []), cold)]
    return (lambda title: draw_cache_chart(title, both), "") if both else None
