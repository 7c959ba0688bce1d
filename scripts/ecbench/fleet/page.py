"""The page of a report: hosts as ratios to their class, and the speeds of each class."""

import dataclasses
from collections.abc import Iterator
from typing import Annotated

from ecbench.comparison.figures import ratio_in_percent
from ecbench.fleet import document, tables
from ecbench.fleet.results import Results, facts_of, usual_facts
from ecbench.page.block import Block, Chart, Column, Form, Kind, Page, block_of_lines
from ecbench.point.point import number_text

MOST_TROUBLES = 20  # at most this many lines for each kind of warning
OUTLIER, USUAL = "outlier", "like its class"


@dataclasses.dataclass(frozen=True)
class HostRow:
    code: Annotated[str, Column(title="Host")]
    ratio: Annotated[float, Column("Speed of the host / median of its class.", title="host / class", form=Form.RATIO)]
    kind: Annotated[str, Column(title="Verdict", is_filter=True)]
    host_class: Annotated[str, Column(title="Class", is_filter=True)]
    part: Annotated[str, Column("The figures in which the outlier differs.", title="in")]
    differences: Annotated[str, Column("Of its environment from its class.", title="differences")]
    text: Annotated[str, Column(is_hidden=True)]


@dataclasses.dataclass(frozen=True)
class SpeedRow:
    code: Annotated[str, Column(title="Profile")]
    gb_per_s: Annotated[float, Column("Median of the hosts.", title="GB/s", form=Form.FIGURE)]
    low: Annotated[float | None, Column("Ends of the 95 % interval.", title="from", form=Form.FIGURE)]
    high: Annotated[float | None, Column(title="to", form=Form.FIGURE)]
    spread: Annotated[float | None, Column("How much faster the fastest host is than the slowest.", title="spread %",
                                           form=Form.PERCENT)]
    percent: Annotated[str, Column("Compared on the same hosts.", title="% of the fastest")]
    tie: Annotated[str, Column("=: not significantly different from the fastest.", title="=")]
    case: Annotated[str, Column(title="Case", is_filter=True)]
    host_class: Annotated[str, Column(title="Class", is_filter=True)]
    text: Annotated[str, Column(is_hidden=True)]


HOSTS = Chart(Kind.RATIOS, "Hosts", "ratio", text="text", colour="kind", colours=(USUAL, OUTLIER), lowest_first=True, most=24)
SPEEDS = Chart(Kind.BARS, "GB/s", "gb_per_s", "low", "high", text="text", colour="host_class")


def page_of(results: Results) -> Page:
    folder = results.collection.folder.resolve().name
    verdict = document.verdict(results)
    lead = (f"{len(results.collection.measured)} of {len(results.collection.hosts)} hosts have results: {len(results.classes)} "
            f"classes, {len(results.cases)} cases.")
    environment = environment_of(results)
    return Page("fleet", f"Fleet {folder}", [document.sentence(results), *([verdict] if verdict else []), lead],
                [hosts(results), speeds(results), fastest(results), classes(results)], list(troubles(results)),
                [f"class {one.name}" for one in results.classes], environment, is_void=bool(results.wrong_bytes))


def hosts(results: Results) -> Block:
    slow = {one.host: one for one in results.slow}
    rows = []
    for one in results.classes:
        for name in (host.name for host in one.clean if host.name in results.ratios):
            found = slow.get(name)
            ratio = found.ratio if found else results.ratios[name]
            rows.append(HostRow(name, ratio, OUTLIER if found else USUAL, one.name, found.part if found else "",
                                "; ".join(map(str, found.differences)) if found else "", f"{100 * (ratio - 1):+.1f} %"))
    return Block("Which hosts differ from their class?", "", HostRow, rows, [HOSTS], how="The slowest hosts are first.")


def speeds(results: Results) -> Block:
    rows = []
    for result in results.cases:
        for one in result.classes:
            for candidate, figure in one.figures.items():
                tie = "=" if one.ranking.ties and (candidate in one.ranking.ties or candidate == one.fastest) else ""
                percent = "100" if candidate == one.fastest else ratio_in_percent(one.ranking.ratios[candidate])
                gb_per_s = figure.estimate.median
                text = tables.figure_text(gb_per_s) + ("" if one.host_class.clean else "!")
                rows.append(SpeedRow(str(candidate), gb_per_s, figure.estimate.low, figure.estimate.high, figure.spread_percent,
                                     percent, tie, result.case.title, one.host_class.name, text))
    start = {"case": rows[0].case} if rows else {}
    return Block("How fast is each class?", "", SpeedRow, rows, [SPEEDS], start=start, cases=("host_class", "case"))


def fastest(results: Results) -> Block:
    lines = [["case", "class", "profile", "GB/s", "95 % interval", "spread %", "ties"]]
    for case in results.cases:
        for one in case.classes:
            figure = one.figures[one.fastest]
            ties = str(len(one.ranking.ties)) if one.ranking.is_conclusive else "inconclusive"
            lines.append([case.case.title, one.host_class.name, str(one.fastest), tables.figure_text(figure.estimate.median),
                          tables.interval_text(figure), number_text(figure.spread_percent), ties])
        if len(results.classes) > 1 and case.for_all:
            lines.append([case.case.title, "all", str(case.for_all.candidate), "", "", "",
                          f"slower by: {tables.costs_text(case.for_all)}"])
    return block_of_lines("The fastest profile of each class", lines,
                          "all: the profile whose largest loss in a class is the smallest.")


def classes(results: Results) -> Block:
    return block_of_lines("Classes", [["class", "hosts", "clean", "CPU and instructions", "names"], *(
        [one.name, str(len(one.hosts)), str(len(one.clean)), results.class_names[one.name],
         tables.listed([host.name for host in one.hosts])] for one in results.classes)])


def troubles(results: Results) -> Iterator[tuple[str, list[str]]]:
    """Title and lines of each kind of warning."""
    kinds = (("Wrong bytes", [f"{host.name}: {point}" for host, point in results.wrong_bytes]),
             ("Disturbed hosts (their figures are used only in a class without clean hosts)",
              [tables.unclean_text(host) for host in results.unclean]),
             ("Missing hosts", [f"{host.name}: {host.why_missing}" for host in results.missing]),
             ("Rejected files", [f"{one.path}: {one.why}" for one in results.collection.all_rejected()]),
             ("Notes", [note for host in results.collection.hosts for note in host.notes]))
    for kind, lines in kinds:
        if lines:
            more = len(lines) - MOST_TROUBLES
            yield kind, [*lines[:MOST_TROUBLES], *([f"And {more} more."] if more > 0 else [])]


def environment_of(results: Results) -> list[tuple[str, list[str]]]:
    """Name of a fact, and a cell for each class: the value that more than half of its hosts have, or "differs"."""
    found = [usual_facts([facts_of(host.figures) for host in one.counted if host.figures]) for one in results.classes]
    rows = [("CPU", [one.key.cpu for one in results.classes]), ("instructions", [one.key.instructions for one in results.classes])]
    names = dict.fromkeys(name for facts in found for name in facts)
    return [*rows, *((name, [facts.get(name, "differs") for facts in found]) for name in names)]
