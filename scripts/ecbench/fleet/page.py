"""The page of a report: one HTML file without references to other files. In its charts, each dot is a host."""

import json
import pathlib
from collections.abc import Iterator

from ecbench.fleet import answer, tables
from ecbench.fleet.document import document
from ecbench.fleet.results import Results, facts_of, usual_facts
from ecbench.point.wording import number_text

FOLDER = pathlib.Path(__file__).parent
MOST_CHARTS = 24
MOST_TROUBLES = 20  # at most this many lines for each kind of warning
MOST_FASTEST = 200  # at most this many rows of the table of the fastest profiles
MOST_COLUMNS = 12  # at most this many classes in the table of the environment


def text_of(results: Results) -> str:
    from ecbench.charts.drawing import Looks
    from ecbench.charts.page import render, script_data
    from ecbench.fleet.chart import case_chart, hosts_chart
    from markupsafe import Markup

    cases = results.cases[:MOST_CHARTS]
    looks = Looks(candidate for case in results.cases for candidate in case.candidates)
    outliers = {slow.host for slow in results.slow}
    hosts = hosts_chart(results)
    data = script_data(json.dumps(document(results), separators=(",", ":")))
    return render(
        FOLDER / "page.html.j2", mode="fleet", title=f"Fleet {results.collection.folder.resolve().name}",
        results=results, answer=answer.sentence(results), verdict=answer.verdict(results), is_void=bool(results.wrong_bytes),
        troubles=list(troubles(results)), tables=tables, fastest=list(fastest_rows(results)), most_fastest=MOST_FASTEST,
        hosts=Markup(hosts) if hosts else None,
        charts=[(case.case.title, Markup(case_chart(case, looks, outliers))) for case in cases],
        environment=environment(results), names=[f"class {one.name}" for one in results.classes[:MOST_COLUMNS]],
        data=data)


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


def fastest_rows(results: Results) -> Iterator[tuple[str, list[str]]]:
    """The title of the case and the other cells: a row for each class, and one for the profile for all classes."""
    for case in results.cases:
        for one in case.classes:
            figure, count = one.figures[one.fastest], len(one.ranking.ties)
            unknown = not one.ranking.is_conclusive
            text = "inconclusive" if unknown else f"{count} {'other' if count == 1 else 'others'} (=)" if count else ""
            mark = "" if one.host_class.clean else "!"
            yield case.case.title, [one.host_class.name, str(one.fastest), tables.figure_text(figure.estimate.median) + mark,
                                    tables.interval_text(figure), number_text(figure.spread_percent), text]
        if len(results.classes) > 1 and case.for_all:
            yield case.case.title, ["all", str(case.for_all.candidate), "", "", "", f"slower by: {tables.costs_text(case.for_all)}"]


def environment(results: Results) -> list[tuple[str, list[str]]]:
    """Name of a fact, and a cell for each class: the value that more than half of its hosts have, or "differs"."""
    classes = results.classes[:MOST_COLUMNS]
    found = [usual_facts([facts_of(host.figures) for host in one.counted if host.figures]) for one in classes]
    rows = [("CPU", [one.key.cpu for one in classes]), ("instructions", [one.key.instructions for one in classes])]
    names = dict.fromkeys(name for facts in found for name in facts)
    return [*rows, *((name, [facts.get(name, "differs") for facts in found]) for name in names)]
