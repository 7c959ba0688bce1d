"""Prints the report of a fleet: as text, as JSON and as a page. The page has the hosts as ratios to their class, and the speeds of
each class."""

import dataclasses
import json
import operator
import pathlib
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

from ecbench.comparison import select
from ecbench.comparison.figures import OF_OUTLIERS, ratio_in_percent
from ecbench.documents.document import Interval, to_json
from ecbench.fleet.classes import HostClass, facts_of, short_names, usual_facts
from ecbench.fleet.collection import collect
from ecbench.fleet.results import CaseResult, ClassResult, HostResult, Profile, Results, results_of
from ecbench.page.block import Block, Chart, Column, Form, Kind, Page, block_of_lines
from ecbench.page.html import PageFile
from ecbench.point.point import figure_text, number_text
from ecbench.terminal.console import Refused, plain, print_columns, say

MOST_PROFILES = 5  # the text shows at most this many profiles for each class in a case; JSON has all profiles
MOST_TROUBLES = 20  # at most this many lines for each kind of warning on the page
NAMED = 3  # an answer names at most this number of classes or hosts
COLUMNS = ("class", "", "profile", "GB/s", "95 % interval", "spread %", "% of the fastest")
WHAT_TO_DO = "measure again with more repetitions or rounds"


def report(folder: pathlib.Path, form: str, page_path: str | None, next_to: pathlib.Path | None = None) -> tuple[int, int]:
    """Prints the report. Returns the exit code, and the number of hosts without a result. `form`: table or json. `next_to`:
    without `page_path`, the HTML page is written next to this file."""
    file = PageFile("fleet", page_path, next_to)
    file.check()
    collection = collect(folder)
    if not collection.hosts:
        raise Refused(f"{folder} contains no directory of a host; give a directory that contains HOST/RUN.jsonl")
    results = results_of(collection)
    if form == "json":
        print(json.dumps(to_json(results), indent=1))
    else:
        print_report(results)
    for note in (note for host in results.hosts for note in host.notes):
        say(note)
    sys.stdout.flush()
    if results.classes and (path := file.write(next_to, lambda: page_of(results))):
        say(f"page: {path}")
    if not results.cases and not results.wrong_bytes:
        say(f"no host in {folder} has a usable result; see the reasons above")
    code = 2 if results.wrong_bytes else 0 if results.cases else 1
    return code, sum(not host.has_result for host in collection.hosts)


def print_report(results: Results) -> None:
    names = short_names(results.classes)
    print_columns(("class", "hosts", "CPU and instructions", "names"), [
        [one.name, str(len(one.hosts)) + (f" ({len(one.clean)} clean)" if len(one.clean) < len(one.hosts) else ""),
         names[one.name], listed(one.hosts, 6)] for one in results.classes], sys.stdout)
    for case in results.cases:
        print(f"\n{plain(case.title)}")
        print_columns(COLUMNS, [
            [one.host_class, tie_sign(one, profile), profile.name, speed_text(one, profile), interval_text(profile.gb_per_s),
             number_text(profile.spread_percent), percent_text(profile)]
            for one in case.classes for profile in one.profiles[:MOST_PROFILES]], sys.stdout, right=COLUMNS[3:])
        for one in case.classes:
            print(plain(conclusion(one)))
        if len(results.classes) > 1:
            print(plain(f"one profile for all classes: {for_all_text(case)}"))
    print()
    for line in host_lines(results):
        print(plain(line))
    if results.cases:
        print("GB/s: median of the hosts. spread: how much faster the fastest host is than the slowest host. =: not significantly "
              f"different from the fastest profile. {OF_OUTLIERS}."
              + ("" if all(one.clean for one in results.classes) else " !: no host of the class has clean figures."))


def tie_sign(one: ClassResult, profile: Profile) -> str:
    return "=" if one.ranking.ties and (profile.tie or not profile.ratio_to_fastest) else ""


def speed_text(one: ClassResult, profile: Profile) -> str:
    return figure_text(profile.gb_per_s.median) + ("" if one.is_clean else "!")


def percent_text(profile: Profile) -> str:
    return ratio_in_percent(profile.ratio_to_fastest) if profile.ratio_to_fastest else "100"


def interval_text(found: Interval) -> str:
    return "-" if found.low is None or found.high is None else f"{figure_text(found.low)} to {figure_text(found.high)}"


def conclusion(one: ClassResult) -> str:
    """The fastest profile of a class, or why it is not known."""
    name, doubt = f"class {one.host_class}", one.ranking.inconclusive
    if doubt:
        return f"{name}: highest speed: {one.fastest.name}; {doubt.text(WHAT_TO_DO)}"
    count = len(one.ranking.ties)
    ties = f"; {count} other{'s are' if count > 1 else ' is'} not significantly different (=)" if count else ""
    more = len(one.profiles) - MOST_PROFILES
    rest = f"; {more} slower {'profile is' if more == 1 else 'profiles are'} not shown" if more > 0 else ""
    return f"{name}: fastest of {len(one.profiles)} profiles: {one.fastest.name}{ties}{rest}"


def for_all_text(case: CaseResult) -> str:
    if case.for_all_classes is None:
        return "no profile was measured in every class"
    costs = ", ".join(f"{one.host_class} {cost_text(one.ratio_to_fastest)}" for one in case.for_all_classes.classes)
    return f"{case.for_all_classes.profile.name}; slower than the fastest profile of each class by: {costs}"


def cost_text(ratio: Interval) -> str:
    text = f"{(1 - ratio.median) * 100:.1f} %"
    if ratio.low is None or ratio.high is None or ratio.low == ratio.high:
        return text
    return f"{text} ({(1 - ratio.high) * 100:.1f} to {(1 - ratio.low) * 100:.1f})"


def host_lines(results: Results) -> Iterator[str]:
    for wrong in results.wrong_bytes:
        yield f"WRONG BYTES: {wrong.host}: {wrong.point}"
    for one in results.outliers:
        yield f"{'outlier' if one.is_slower else 'faster'}: {one}; differences: {one.difference_text or 'none was recorded'}"
    if not results.outliers and any(len(one.clean) > 1 for one in results.classes):
        yield "no host differs from its class"
    for prefix, _, lines in troubles(results):
        yield from (f"{prefix}: {line}" for line in lines)


def troubles(results: Results) -> Iterator[tuple[str, str, list[str]]]:
    """The beginning of a line of the text, the title of the page, and the lines of each kind of trouble."""
    yield ("no clean figures", "Disturbed hosts (their figures are used only in a class without clean hosts)",
           [unclean_text(host) for host in results.hosts if host.host in results.unclean])
    yield "missing", "Missing hosts", [f"{one.host}: {one.why}" for one in results.missing]
    yield "rejected", "Rejected files", [f"{one.path}: {one.why}" for one in results.rejected]


def unclean_text(host: HostResult) -> str:
    taken = "" if host.cpu_share is None else f" and took {max(0, 1 - host.cpu_share) * 100:.0f} % of the CPU time"
    return (f"{host.host}: other programs disturbed {(host.disturbed_share or 0) * 100:.0f} % of its measurements{taken}; "
            "measure this host again")


def listed(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} others" if len(names) > most else "")


# The page.

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


DIFFERS, USUAL = "outlier", "like its class"
HOSTS = Chart(Kind.RATIOS, "Hosts", "ratio", text="text", colour="kind", colours=(USUAL, DIFFERS), lowest_first=True, most=24)
SPEEDS = Chart(Kind.BARS, "GB/s", "gb_per_s", "low", "high", text="text", colour="host_class")


def page_of(results: Results) -> Page:
    kinds = [("Wrong bytes", [f"{one.host}: {one.point}" for one in results.wrong_bytes]),
             *((title, lines) for _, title, lines in troubles(results)),
             ("Notes", [note for host in results.hosts for note in host.notes])]
    shown = [(title, [*lines[:MOST_TROUBLES], *([f"And {len(lines) - MOST_TROUBLES} more."] if lines[MOST_TROUBLES:] else [])])
             for title, lines in kinds if lines]
    of_all = [for_all(results)] if len(results.classes) > 1 else []
    names = short_names(results.classes)
    return Page("fleet", f"Fleet {pathlib.Path(results.folder).resolve().name}", list(answers(results)),
                [hosts(results), speeds(results), *of_all], shown,
                [f"class {one.name}: {names[one.name]}; {len(one.hosts)} hosts, {len(one.clean)} clean" for one in results.classes],
                environment_of(results.classes), is_void=bool(results.wrong_bytes))


def answers(results: Results) -> Iterator[str]:
    """What is the fastest in the NAMED largest classes, and which hosts are slow."""
    for of_class in results.classes[:NAMED]:
        if found := [one.ranking for case in results.cases for one in case.classes if one.host_class == of_class.name]:
            kind = "library" if found[0].first.library else "code" if found[1:] else "profile"
            outcomes = [select.outcome_of(one, operator.attrgetter("code") if found[1:] else str, with_unclear=True)
                        for one in found]
            ranked = select.scores(outcomes, dict.fromkeys(name for outcome in outcomes for name in outcome.first))
            yield select.sentence(f"class {of_class.name}", kind, outcomes, ranked)
    slow = [one for one in results.outliers if one.is_slower]
    count = sum(len(one.hosts) for one in results.classes)
    compared = sum(len(one.clean) for one in results.classes if len(one.clean) > 1)
    if slow:
        names = listed([f"{one.host} ({(1 - one.ratio) * 100:.1f} %)" for one in slow], NAMED)
        yield f"{len(slow)} of {count} hosts {'is slower than its' if len(slow) == 1 else 'are slower than their'} class: {names}."
    elif compared:
        yield f"None of {compared} hosts is slower than its class."
    yield f"{count} of {len(results.hosts)} hosts have results: {len(results.classes)} classes, {len(results.cases)} cases."


def hosts(results: Results) -> Block:
    slow = {one.host: one for one in results.outliers}
    rows = []
    for one in results.classes:
        for name in (name for name in one.clean if name in results.ratios):
            found = slow.get(name)
            ratio = found.ratio if found else results.ratios[name]
            rows.append(HostRow(name, ratio, DIFFERS if found else USUAL, one.name, found.part if found else "",
                                found.difference_text if found else "", f"{100 * (ratio - 1):+.1f} %"))
    return Block("Which hosts differ from their class?", "", HostRow, rows, [HOSTS], how="The slowest hosts are first.")


def speeds(results: Results) -> Block:
    rows = [SpeedRow(profile.name, profile.gb_per_s.median, profile.gb_per_s.low, profile.gb_per_s.high, profile.spread_percent,
                     percent_text(profile), tie_sign(one, profile), case.title, one.host_class, speed_text(one, profile))
            for case in results.cases for one in case.classes for profile in one.profiles]
    start = {"case": rows[0].case} if rows else {}
    return Block("How fast is each class?", "", SpeedRow, rows, [SPEEDS], start=start, cases=("host_class", "case"))


def for_all(results: Results) -> Block:
    return block_of_lines("One profile for all classes", [["case", "profile"], *(
        [case.title, for_all_text(case)] for case in results.cases)],
        "The profile whose largest loss in a class is the smallest.")


def environment_of(found: Sequence[HostClass]) -> list[tuple[str, list[str]]]:
    """Name of a fact, and a cell for each class: the value that more than half of its hosts have, or "differs"."""
    usual = [usual_facts([*map(facts_of, one.counted.values())]) for one in found]
    return [(name, [facts.get(name, "differs") for facts in usual])
            for name in dict.fromkeys(name for facts in usual for name in facts)]
