"""The report on a fleet, as blocks: hosts that differ from their class, missing hosts, and the speeds of each class."""

import dataclasses
import operator
import pathlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from ecbench.comparison import select
from ecbench.comparison.answer import listed
from ecbench.comparison.figures import FASTER, OF_OUTLIERS, SLOWER
from ecbench.comparison.outlier import Standing, standings
from ecbench.documents.document import Key
from ecbench.fleet.classes import AXES, Difference, HostClass, Ranking, classes_of, differences, for_all_classes, rankings_of
from ecbench.fleet.collection import Host, HostState, Unused
from ecbench.fleet.figures import Candidate, HostFigures
from ecbench.page.block import Block, Chart, Column, Form, Kind, Page, print_page
from ecbench.page.html import PageFile
from ecbench.point.point import figure_text, workload_text
from ecbench.statistics.interval import Estimate
from ecbench.terminal.console import number_of, say

MOST_PROFILES = 5  # the text shows at most this many for each class in a case
MOST_EQUAL = 10  # the text shows at most this many hosts without trouble
NAMED = 3  # an answer names at most this number of classes or hosts
EQUAL = "like its class"
WHAT_TO_DO = "measure again with more repetitions or rounds"


@dataclasses.dataclass(frozen=True)
class HostRow:
    code: Annotated[str, Column(title="Host")]
    ratio: Annotated[float | None, Column("Speed of the host / that of its class.", title="host / class", form=Form.RATIO)]
    verdict: Annotated[str, Column("Empty: the host was not compared.", title="Verdict", is_filter=True)]
    part: Annotated[str, Column("The figures in which the outlier differs.", title="in")]
    host_class: Annotated[str, Column(title="Class", is_filter=True)]
    missing: Annotated[str, Column("Why all or some figures are missing.", title="Missing", wraps=True)]
    disturbed: Annotated[str, Column("By other programs; measure this host again.", title="Disturbed")]
    text: Annotated[str, Column(is_hidden=True)]
    probability: Annotated[float | None, Key("Of an outlier: the probability of such a difference if all hosts were equal.",
                                                  least=0, most=1)]
    state: HostState | None
    run: HostFigures | None


@dataclasses.dataclass(frozen=True)
class SpeedRow:
    shape: Annotated[str, Column("Data and coding chunks.", title="k+m", is_filter=True)]
    size: Annotated[int, Column("Of the object.", title="Object", form=Form.BYTES, is_filter=True)]
    workload: Annotated[str, Column("All workloads: the harmonic mean of a run of tune.", title="Workload", is_filter=True)]
    options: Annotated[str, Column(title="Options", is_filter=True)]
    host_class: Annotated[str, Column(title="Class", is_filter=True)]
    code: Annotated[str, Column(title="Profile")]
    gb_per_s: Annotated[float, Column("Median of the hosts.", title="GB/s", form=Form.FIGURE, is_early=True)]
    mark: Annotated[str, Column("!: no host of the class has clean figures.", title="!")]
    low: Annotated[float | None, Column("Ends of the 95 % interval.", title="from", form=Form.FIGURE)]
    high: Annotated[float | None, Column(title="to", form=Form.FIGURE)]
    spread: Annotated[float | None, Column("How much faster the fastest host is than the slowest.", title="spread %",
                                           form=Form.PERCENT)]
    ratio: Annotated[float, Column("Speed / that of the fastest profile, on the same hosts.", title="ratio", form=Form.RATIO)]
    ratio_low: Annotated[float | None, Column("Ends of the 95 % interval.", title="from", form=Form.RATIO)]
    ratio_high: Annotated[float | None, Column(title="to", form=Form.RATIO)]
    verdict: Annotated[str, Column(title="Verdict", is_early=True)]
    doubt: Annotated[str, Column("Why it is not known which profile is the fastest.", title="Why", wraps=True)]
    text: Annotated[str, Column(is_hidden=True)]
    is_tie: Annotated[bool, Key("Whether the profile is not significantly different from the fastest.")]
    hosts: Annotated[dict[str, float], Key("Name of each host and its GB/s.")]
    profile: Annotated[dict[str, str], Key("Empty in runs of libraries, whose profiles differ.")]
    left_out: Annotated[list[str], Key("Profiles that too few hosts measured. They are not compared.")]


CASE = ("shape", "size", "workload", "options")
HOSTS = Chart(Kind.RATIOS, "Hosts", "ratio", text="text", colour="verdict", colours=(EQUAL, SLOWER, FASTER), lowest_first=True,
              most=24)
SPEEDS = Chart(Kind.BARS, "GB/s", "gb_per_s", "low", "high", text="text", colour="host_class")


def report(folder: pathlib.Path, hosts: Sequence[Host], unused: Sequence[Unused], form: str, path: str | None,
           next_to: pathlib.Path | None = None) -> int:
    """Prints the report, as a table or as json, and writes the page to `path` or next to a file. Returns the exit code."""
    file = PageFile("fleet", path)
    file.path(next_to)
    page, is_measured = page_of(hosts, unused), any(host.run and host.run.figures for host in hosts)
    print_page(page, sys.stdout, form)
    sys.stdout.flush()
    if is_measured and (written := file.write(next_to, lambda: page)):
        say(f"page: {written}")
    if not is_measured and not page.is_void:
        say(f"no host in {folder} has a usable result; see the reasons above")
    return 2 if page.is_void else 0 if is_measured else 1


def page_of(hosts: Sequence[Host], unused: Sequence[Unused]) -> Page:
    classes = classes_of(hosts)
    rankings = rankings_of(classes)
    found = standings([{host: run.figures for host, run in one.counted.items() if run.is_clean} for one in classes], AXES)
    rows, speeds = host_rows(hosts, classes, found), [speed_row(one, each) for one in rankings for each in one.selection.order]
    outliers = [difference for one in classes for host in one.counted if host in found and found[host].part
                for difference in differences(host, one.counted)]
    for_all = [speed_row(*one) for one in for_all_classes(rankings)] if len(classes) > 1 else []
    wrong = [f"WRONG BYTES: {host.name}: {point}" for host in hosts if host.run for point in host.run.wrong_bytes]
    start = {name: getattr(speeds[0], name) for name in CASE} if speeds else {}
    return Page(
        "fleet", f"{number_of(len(rows), 'host')}, {number_of(len({one.case for one in rankings}), 'case')}",
        list(answers(rows, classes, rankings, outliers)), [
            Block("Which hosts differ from their class?", "", HostRow, rows, [HOSTS], how=f"{OF_OUTLIERS}.",
                  most=MOST_EQUAL + sum(bool(row.part or row.missing or row.disturbed) for row in rows)),
            Block("What differs on these hosts?", "", Difference, outliers),
            Block("Which files are not used?", "", Unused, unused),
            Block("Which classes are there?", "", HostClass, classes, label="name"),
            Block("How fast is each class?", "", SpeedRow, speeds, [SPEEDS], start=start, cases=("host_class", *CASE),
                  most=MOST_PROFILES),
            Block("Which profile suits all classes?", "", SpeedRow, for_all, cases=("host_class", *CASE),
                  how="The profile whose largest loss in a class is the smallest.")],
        [("", wrong)] if wrong else [], [f"class {one.name}" for one in classes],
        [(name, [one.facts.get(name, "differs") for one in classes])
         for name in dict.fromkeys(name for one in classes for name in one.facts)], is_void=bool(wrong))


def answers(rows: Sequence[HostRow], classes: Sequence[HostClass], rankings: Sequence[Ranking],
            outliers: Sequence[Difference]) -> Iterator[str]:
    """Which hosts are slow, and what differs there; which have no result, and what is the fastest in the NAMED largest classes."""
    slow = []
    for row in rows:
        if row.ratio and row.verdict == SLOWER:
            facts = [f"{one.fact} {one.here}, others {one.others}" for one in outliers if one.code == row.code]
            slow.append(f"{row.code} ({'; '.join([f'{(1 - row.ratio) * 100:.1f} %', *facts[:NAMED]])})")
    compared, measured = sum(bool(row.verdict) for row in rows), sum(one.count for one in classes)
    if slow:
        yield (f"{len(slow)} of {measured} hosts {'are slower than their' if slow[1:] else 'is slower than its'} class: "
               f"{listed(slow, NAMED)}.")
    elif compared:
        yield f"None of {compared} hosts is slower than its class."
    missing, cases = [row.code for row in rows if row.missing], len({one.case for one in rankings})
    yield (f"{len(rows) - len(missing)} of {len(rows)} hosts have all results: {number_of(len(classes), 'class')}, "
           f"{number_of(cases, 'case')}." + f" Missing or incomplete: {listed(missing, NAMED)}." * bool(missing))
    for one in classes[:NAMED]:
        if found := [ranking.selection for ranking in rankings if ranking.host_class is one]:
            kind = "library" if not found[0].first.profile else "code" if found[1:] else "profile"
            yield select.tally(f"class {one.name}", kind, found, operator.attrgetter("code" if found[1:] else "name"))


def host_rows(hosts: Sequence[Host], classes: Sequence[HostClass], standing: Mapping[str, Standing]) -> list[HostRow]:
    """Outliers are first, the slowest first; then hosts with trouble."""
    names, rows = {host: one.name for one in classes for host in one.hosts}, list[HostRow]()
    for host in hosts:
        one = standing.get(host.name, Standing(None))
        verdict, text = (EQUAL, f"{100 * (one.ratio - 1):+.1f} %") if one.ratio else ("", "")
        if one.ratio and one.part:
            verdict = SLOWER if one.ratio < 1 else FASTER
        rows.append(HostRow(host.name, one.ratio, verdict, one.part, names.get(host.name, ""), host.why_missing,
                            host.why_disturbed, text, one.probability, host.state, host.run))
    return sorted(rows, key=lambda row: (not row.part, not (row.missing or row.disturbed), row.ratio or 0))


def speed_row(one: Ranking, candidate: Candidate) -> SpeedRow:
    found, case, speed, mark = one.selection, one.case, one.speeds[candidate], "" if one.host_class.clean_count else "!"
    speeds = {host: figure.gb_per_s for host, figure in one.figures[candidate].items()}
    spread = (max(speeds.values()) / min(speeds.values()) - 1) * 100 if len(speeds) > 1 else None
    ratio, is_first = found.ratios.get(candidate, Estimate(1.0)), candidate == found.first
    return SpeedRow(
        case.shape, case.size, workload_text(case.workload, case.erasures), ", ".join(case.extras), one.host_class.name,
        candidate.name, speed.median, mark, speed.low, speed.high, spread, ratio.median, ratio.low, ratio.high,
        found.verdict(candidate).word, found.inconclusive.text(WHAT_TO_DO) if found.inconclusive and is_first else "",
        f"{figure_text(speed.median)}{mark}", candidate in found.ties, speeds, dict(candidate.profile),
        list(map(str, one.left_out)) if is_first else [])
