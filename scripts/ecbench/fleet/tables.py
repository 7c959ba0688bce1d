"""Prints the report of a fleet as text."""

import sys
from collections.abc import Iterator, Sequence

from ecbench.comparison.figures import OUTLIER, ratio_in_percent
from ecbench.fleet.collection import Host
from ecbench.fleet.results import CaseResult, ClassCase, ClassFigure, ForAll, Results, SlowHost
from ecbench.point.point import figure_text, number_text
from ecbench.statistics.interval import Estimate
from ecbench.terminal.console import plain, print_columns

MOST_PROFILES = 5  # the text shows at most this many profiles for each class in a case; JSON has all profiles
MOST_HOSTS = 20  # a line of the text has at most this many host names
COLUMNS = ("class", "", "profile", "GB/s", "95 % interval", "spread %", "% of the fastest")
WHAT_TO_DO = "measure again with more repetitions or rounds"


def print_report(results: Results) -> None:
    print_classes(results)
    for case in results.cases:
        print_case(results, case)
    print_hosts(results)


def print_classes(results: Results) -> None:
    rows = []
    for one in results.classes:
        hosts = f"{len(one.hosts)}" if len(one.clean) == len(one.hosts) else f"{len(one.hosts)} ({len(one.clean)} clean)"
        rows.append([one.name, hosts, results.class_names[one.name], listed([host.name for host in one.hosts], 6)])
    print_columns(("class", "hosts", "CPU and instructions", "names"), rows, sys.stdout)


def print_case(results: Results, result: CaseResult) -> None:
    print(f"\n{plain(result.case.title)}")
    rows = [cells for one in result.classes for cells in class_rows(one)]
    print_columns(COLUMNS, rows, sys.stdout, right=COLUMNS[3:])
    for one in result.classes:
        print(plain(conclusion(one)))
    if len(results.classes) > 1:
        print(plain(for_all_text(result)))


def class_rows(one: ClassCase) -> Iterator[list[str]]:
    mark = "" if one.host_class.clean else "!"
    for candidate, figure in list(one.figures.items())[:MOST_PROFILES]:
        sign = "=" if one.ranking.ties and (candidate in one.ranking.ties or candidate == one.fastest) else ""
        ratio = "100" if candidate == one.fastest else ratio_in_percent(one.ranking.ratios[candidate])
        yield [one.host_class.name, sign, str(candidate), figure_text(figure.estimate.median) + mark, interval_text(figure),
               number_text(figure.spread_percent), ratio]


def conclusion(one: ClassCase) -> str:
    """The fastest profile of a class, or why it is not known."""
    name, found = f"class {one.host_class.name}", one.ranking
    if found.inconclusive:
        return f"{name}: highest speed: {one.fastest}; {found.inconclusive.text(WHAT_TO_DO)}"
    count = len(found.ties)
    ties = f"; {count} other{'s are' if count > 1 else ' is'} not significantly different (=)" if count else ""
    more = len(one.figures) - MOST_PROFILES
    rest = f"; {more} slower {'profile is' if more == 1 else 'profiles are'} not shown" if more > 0 else ""
    return f"{name}: fastest of {len(one.figures)} profiles: {one.fastest}{ties}{rest}"


def for_all_text(result: CaseResult) -> str:
    if result.for_all is None:
        return "one profile for all classes: no profile was measured in every class"
    return (f"one profile for all classes: {result.for_all.candidate}; slower than the fastest profile of each class by: "
            f"{costs_text(result.for_all)}")


def costs_text(best: ForAll) -> str:
    return ", ".join(f"{name} {cost_text(cost)}" for name, cost in best.costs.items())


def cost_text(cost: Estimate) -> str:
    text = f"{(1 - cost.median) * 100:.1f} %"
    if cost.low is None or cost.high is None or cost.low == cost.high:
        return text
    return f"{text} ({(1 - cost.high) * 100:.1f} to {(1 - cost.low) * 100:.1f})"


def interval_text(figure: ClassFigure) -> str:
    low, high = figure.estimate.low, figure.estimate.high
    return "-" if low is None or high is None else f"{figure_text(low)} to {figure_text(high)}"


def print_hosts(results: Results) -> None:
    print()
    for line in host_lines(results):
        print(plain(line))
    if results.cases:
        print("GB/s: median of the hosts. spread: how much faster the fastest host is than the slowest host. =: not significantly "
              f"different from the fastest profile. {OUTLIER.condition}."
              + ("" if results.all_clean else " !: no host of the class has clean figures."))


def host_lines(results: Results) -> Iterator[str]:
    for host, point in results.wrong_bytes:
        yield f"WRONG BYTES: {host.name}: {point}"
    for slow in results.slow:
        yield slow_line(slow)
    if not results.slow and any(len(one.clean) > 1 for one in results.classes):
        yield "no host differs from its class"
    for host in results.unclean:
        yield f"no clean figures: {unclean_text(host)}"
    for host in results.missing:
        yield f"missing: {host.name}: {host.why_missing}"
    for one in results.collection.all_rejected():
        yield f"rejected: {one.path}: {one.why}"


def unclean_text(host: Host) -> str:
    assert host.figures
    share = host.figures.cpu_share
    taken = "" if share is None else f" and took {max(0, 1 - share) * 100:.0f} % of the CPU time"
    return (f"{host.name}: other programs disturbed {host.figures.disturbed_share * 100:.0f} % of its measurements{taken}; "
            "measure this host again")


def slow_line(slow: SlowHost) -> str:
    differences = "; ".join(map(str, slow.differences)) or "none was recorded"
    return f"{'outlier' if slow.is_slower else 'faster'}: {slow}; differences: {differences}"


def listed(names: Sequence[str], most: int = MOST_HOSTS) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} others" if len(names) > most else "")
