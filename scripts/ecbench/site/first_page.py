"""The tables of the first page: the fastest library in Ceph and of all libraries for each k+m, and how certain that is."""

import collections
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ecbench.comparison.questions import FASTER, direction
from ecbench.comparison.tally import outcome_of, scores
from ecbench.comparison.text import ratio_text
from ecbench.point.point import bytes_text
from ecbench.site.results import Result, by_table, speed_text
from markupsafe import Markup

TABLES = ("encode, warm", "encode, cold", "decode, 1 lost, warm", "decode, 1 lost, cold")


def first_tables(results: Sequence[Result]) -> dict[str, list[Result]]:
    tables = by_table([result for result in results if result.is_comparison])
    return {title: tables[title] for title in TABLES if title in tables}


def answer_for_ceph(results: Iterable[Result]) -> str:
    """Which of Ceph's plugins is the fastest, for each workload."""
    by_workload: dict[str, list[Result]] = {}
    for result in results:
        by_workload.setdefault(result.case.workload, []).append(result)
    texts = [f"{workload}: {text}" for workload, members in by_workload.items() if (text := fastest_of_ceph(members))]
    return f"Fastest in Ceph: {'; '.join(texts)}." if texts else ""


def fastest_of_ceph(results: Iterable[Result]) -> str:
    compared = [(result, following) for result in results if (following := result.next_in_ceph)]
    leads = [(result, result.ceph_ranking.first.point.plugin, lead.median if direction(lead) == FASTER else None)
             for result, following in compared if (lead := result.ceph_ranking.lead(following))]
    counts = collections.Counter(name for _, name, ratio in leads if ratio)
    if not counts:
        return ""
    unknown = f"; {len(compared) - len(leads)} inconclusive" if len(compared) > len(leads) else ""
    (first, count), *others = counts.most_common()
    ratios = [ratio for _, name, ratio in leads if name == first and ratio]
    text = f"{first} in {count} of {len(compared)} cases, {min(ratios):.1f} to {max(ratios):.1f} times as fast as the next plugin"
    for name, number in others:
        where = [f"{result.table}, {bytes_text(result.case.size)}" for result, other, ratio in leads if other == name and ratio]
        text += f"; {name} in {number}" + (f" ({where[0]})" if number == 1 else "")
    return text + unknown


def shape_summary(results: Sequence[Result]) -> Markup:
    outcomes = [outcome_of(result.ranking, lambda one: one.library) for result in results]
    names = sorted({name for result in results for name in result.libraries})
    ranked = scores(outcomes, names)
    every = ", ".join(f"{score.name} in {score.fastest}" for score in ranked[:3] if score.fastest)
    doubts = dict.fromkeys(doubt for result in results for doubt in result.doubts)
    parts = [("In Ceph: ", fastest_of_ceph(results)),
             (f"Of all {len(names)} libraries: ", every and f"{every} of {len(results)} cases"), ("", "; ".join(doubts))]
    return Markup("<br>").join(f"{name}{text}" for name, text in parts if text)


def nearest(shape: str, shapes: Iterable[str]) -> list[str]:
    """The two shapes with the same m and the closest k."""
    k, m = k_and_m(shape)
    same = [one for one in shapes if k_and_m(one)[1] == m]
    return sorted(sorted(same, key=lambda one: abs(k_and_m(one)[0] - k))[:2], key=k_and_m)


def k_and_m(shape: str) -> tuple[int, int]:
    k, m = map(int, shape.split("+"))
    return k, m


def index_rows(tables: Mapping[str, list[Result]], missing: Mapping[str, Markup]) -> Iterator[list[str]]:
    """`missing`: k+m that only other CPUs have → what is shown instead."""
    measured: dict[str, dict[int, dict[str, Result]]] = {}
    for title, results in tables.items():
        for result in results:
            measured.setdefault(result.case.shape, {}).setdefault(result.case.size, {})[title] = result
    for shape in sorted({*measured, *missing}, key=k_and_m):
        if shape in missing:
            yield [shape, "-", missing[shape]]
            continue
        yield [shape, "all", shape_summary([result for by_title in measured[shape].values() for result in by_title.values()])]
        for size, by_title in sorted(measured[shape].items()):
            yield [shape, bytes_text(size), *(answer_cell(by_title.get(title)) for title in tables)]


def answer_cell(result: Result | None) -> str:
    if result is None:
        return "-"
    if result.ranking.inconclusive:
        return Markup("<small>{}</small>").format(result.certainty) + ceph_text(result)
    first = result.first
    name = Markup("{}" if result.tied(unclear=True) else "<b>{}</b>").format(first.name)
    certainty = "; ".join([result.certainty, *result.doubts])
    text = Markup("{} {} <small>{}</small>").format(name, speed_text(first), certainty)
    return text if len(result.libraries) == 2 else text + ceph_text(result)


def ceph_text(result: Result) -> Markup:
    """The fastest code in Ceph, and its lead over Ceph's other plugins; empty if this is inconclusive."""
    if not result.ceph_ranking.is_conclusive:
        return Markup("")
    best, following, ratio = result.ceph_ranking.first, result.next_in_ceph, ""
    if following and (lead := result.ceph_ranking.lead(following)):
        much = f"{ratio_text(lead, between=' to ')} ×" if direction(lead) == FASTER else "not significantly faster than"
        ratio = f", {much} {following.library}"
    return Markup("<small>Ceph: {} {}{}</small>").format(best.name, speed_text(best), ratio)
