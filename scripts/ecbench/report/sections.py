"""The charts of the page, section by section: which panels there are, and what is said beside them. A page draws so many panels
of a kind; what is beyond is counted, and stands in the table of all points."""

import dataclasses

from ecbench.charts.drawing import Looks
from ecbench.point.wording import size_text, workload_text
from ecbench.report.cache_chart import draw_cache_chart, pairs
from ecbench.report.cases import by_series, fastest
from ecbench.report.findings import case_order
from ecbench.report.heat_map import draw_heat_map, has_heat_map
from ecbench.report.packetsize_chart import draw_packetsize_chart
from ecbench.report.profile_chart import draw_profile_chart, place

PANELS = 24  # of each section: what is looked at in one go, and drawn in a few seconds


@dataclasses.dataclass(frozen=True)
class Panel:
    title: str
    machine: str
    svg: str
    note: str = ""


@dataclasses.dataclass
class Section:
    anchor: str
    title: str
    how: str
    nothing: str  # what is said if there are no panels
    groups: list  # of lists of panels: what stands side by side
    left_out: int = 0


class Work:
    """The panels of a section that are to be drawn: titles with one drawing per run, which is None where the run has nothing."""

    def __init__(self, section, candidates, machines):
        room = max(1, PANELS // len(machines))
        self._section = section
        self._chosen = candidates[:room]
        self._machines = machines
        section.left_out = len(candidates) - len(self._chosen)

    @property
    def panels(self):
        return sum(draw is not None for _, draws in self._chosen for draw in draws)

    def draw(self, advance):
        for title, draws in self._chosen:
            group = []
            for machine, draw in zip(self._machines, draws, strict=True):
                if draw is not None:
                    svg, note = draw(f"{title}, {machine}" if machine else title)
                    group.append(Panel(title, machine, svg, note))
                    advance()
            self._section.groups.append(group)
        return self._section


def plan_sections(all_measured):
    looks = Looks(sorted({entry.series for measured in all_measured for entry in measured.entries},
                         key=lambda series: (series.plugin, series.technique, series.parameters)))
    machines = [measured.label for measured in all_measured]
    return [Work(Section(*texts, groups=[]), candidates, machines) for texts, candidates in (
        (HEAT_MAPS, heat_maps(all_measured)), (PACKETSIZES, packetsize_charts(all_measured, looks)),
        (PROFILES, profile_charts(all_measured, looks)), (CACHES, cache_charts(all_measured)))]


HEAT_MAPS = (
    "heat", "Technique × packetsize",
    "Each cell is GB/s of object (10^9 bytes a second); brighter is faster, each map from its own slowest to its own fastest. ★ "
    "and a heavy outline: the fastest of the map. = and a dashed outline: cannot be told from it, as the 95 % interval of their "
    "ratio reaches 1. A hatched edge: padding of more than 25 % of the object. An empty cell was not measured.",
    "No technique was measured at more than one packetsize.")
PACKETSIZES = (
    "packetsize", "GB/s against packetsize",
    "Higher is better. The band around a line is its 95 % interval: where bands lie apart, the figures are told apart. A level "
    "line is a technique that has no packetsize. The limit is what reading k chunks, XORing them and writing m costs on the "
    "machine. Where limit or level lines are far above the curves, the axis is broken below them, and the scale above is another.",
    "No technique was measured at more than one packetsize.")
PROFILES = (
    "profiles", "Encode and decode by k and m",
    "Higher is better. One line per plugin and technique, each at its best packetsize for the place; the vertical stroke in a mark "
    "is the 95 % interval. Below the axis stand k/m, for decode k/m/chunks lost; decodes of one k/m are joined.",
    "One k/m alone was measured, with one number of lost chunks.")
CACHES = (
    "cache", "Warm against cold",
    "Two marks per technique, at the packetsize that is best warm: with the chunks in the cache, and read from memory. The number "
    "at the right is what is left of the speed: cold divided by warm.",
    "No point was measured both warm and cold.")


def heat_maps(all_measured):
    return candidates(all_measured, has_heat_map,
                      lambda entries: lambda title: (draw_heat_map(title, entries), level_note(entries)))


def packetsize_charts(all_measured, looks):
    return candidates(all_measured, has_heat_map,
                      lambda entries: lambda title: (draw_packetsize_chart(title, entries, looks), ""))


def candidates(all_measured, accepts, make_draw):
    found = []
    for case in case_order(all_measured):
        of_runs = [measured.cases.get(case, []) for measured in all_measured]
        draws = [make_draw(entries) if accepts(entries) else None for entries in of_runs]
        if any(draws):
            found.append((case.title, draws))
    return found


def level_note(entries):
    """The techniques without packetsize, which have no row in the map."""
    level = [fastest(members) for members in by_series(entries).values() if members[0].packetsize is None]
    if not level:
        return ""
    words = [f"{entry.series.label} {entry.figure}" for entry in sorted(level, key=lambda entry: -entry.gb_per_s)]
    above = "; the first is the fastest of all" if fastest(entries).packetsize is None else ""
    return f"Without packetsize: {', '.join(words)}{above}."


def profile_charts(all_measured, looks):
    order, grouped = {}, []
    for measured in all_measured:
        groups = {}
        for case, entries in measured.cases.items():
            key = case.workload, case.size, case.options
            order.setdefault(key, ", ".join([case.workload, size_text(case.size), *case.extras]))
            groups.setdefault(key, []).extend(entries)
        grouped.append(groups)

    def drawing(entries):
        return lambda title: (draw_profile_chart(title, entries, looks), "")

    found = []
    for key, title in order.items():
        draws = [drawing(groups[key]) if len({place(entry) for entry in groups.get(key, [])}) > 1 else None for groups in grouped]
        if any(draws):
            found.append((title, draws))
    return found


def cache_charts(all_measured):
    found = []
    for case in case_order(all_measured):
        if case.option("cache") == "warm":
            draws = [cache_drawing(measured, case) for measured in all_measured]
            if any(draws):
                others = [words for name, _, words in case.options if words and name != "cache"]
                title = [workload_text(case.workload, case.erasures), f"{case.k}+{case.m}", size_text(case.size), *others]
                found.append((", ".join(title), draws))
    return found


def cache_drawing(measured, case):
    both = [(warm, cold) for other, entries in measured.cases.items()
            if other.option("cache") == "cold" and other.without("cache") == case.without("cache")
            and (other.workload, other.erasures, other.size, other.k, other.m)
            == (case.workload, case.erasures, case.size, case.k, case.m)
            for warm, cold in pairs(measured.cases.get(case, []), entries)]
    return (lambda title: (draw_cache_chart(title, both), "")) if both else None
