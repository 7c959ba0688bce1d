"""The tables of the first page: the fastest library in Ceph and of all libraries for each k+m, and how certain that is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ecbench.comparison.questions import FASTER, FASTEST, direction
from ecbench.comparison.text import ratio_text
from ecbench.point.point import bytes_text
from ecbench.site.results import Result, by_table, speed_text
from ecbench.site.section import joined
from ecbench.site.standing import UNSURE, Standing, anywhere, in_ceph
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
    found = {workload: in_ceph(members) for workload, members in by_workload.items()}
    texts = [f"{workload}: {best.library} is {best.text}" + (f" ({best.lead_text})" if best.leads else "")
             for workload, best in found.items() if best]
    return f"In Ceph, {'; '.join(texts)}." if texts else ""


def nearest(shape: str, shapes: Iterable[str]) -> list[str]:
    """Two shapes with the closest m, which differs by at most 1, and the closest k."""
    k, m = k_and_m(shape)
    distances = {one: (abs(k_and_m(one)[1] - m), abs(k_and_m(one)[0] - k)) for one in shapes}
    similar = [one for one, (of_m, _) in distances.items() if of_m <= 1]
    return sorted(sorted(similar, key=lambda one: (distances[one], k_and_m(one)))[:2], key=k_and_m)


def k_and_m(shape: str) -> tuple[int, int]:
    k, m = map(int, shape.split("+"))
    return k, m


def summary_rows(tables: Mapping[str, list[Result]], missing: Mapping[str, Markup], links: Callable[[str, str], Markup]
                 ) -> Iterator[list[str]]:
    """`missing`: k+m that only other CPUs have → what is shown instead. `links`: k+m and a text → a link to its object sizes."""
    measured: dict[str, list[Result]] = {}
    for result in (result for results in tables.values() for result in results):
        measured.setdefault(result.case.shape, []).append(result)
    doubts = {shape: list(dict.fromkeys(doubt for result in results for doubt in result.doubts))
              for shape, results in measured.items()}
    certain = [shape for shape in measured if not doubts[shape]]
    for shape in sorted({*measured, *missing}, key=k_and_m):
        if shape in missing:
            yield [shape, "-", missing[shape]]
            continue
        results = measured[shape]
        sizes = sorted({result.case.size for result in results})
        others = joined(links(near, near) for near in nearest(shape, {*certain} - {shape}))
        count = f"{len({name for result in results for name in result.libraries})} libraries"
        yield [shape, links(shape, " to ".join(dict.fromkeys(map(bytes_text, (sizes[0], sizes[-1]))))),
               standing_cell(in_ceph(results), "", others, doubts[shape]),
               standing_cell(anywhere(results), count, others, doubts[shape])]


def standing_cell(best: Standing | None, count: str, others: Markup, doubts: Sequence[str]) -> str:
    """`others`: links to similar k+m, for an answer that is mostly inconclusive."""
    if best is None:
        return "-"
    name = "-" if best.inconclusive == best.cases else Markup("<b>{}</b>").format(best.name)
    word = best.word(bool(doubts))
    compare = Markup("compare {}").format(others) if others and word == UNSURE else ""
    remarks = Markup("; ").join(filter(None, [best.lead_text, count, *doubts, compare]))
    return Markup("{}: <b>{}</b>, {} <small>{}</small>").format(name, word, best.text, remarks)


def size_rows(tables: Mapping[str, list[Result]]) -> Iterator[list[str]]:
    found: dict[tuple[tuple[int, int], int], dict[str, Result]] = {}
    for title, results in tables.items():
        for result in results:
            found.setdefault((k_and_m(result.case.shape), result.case.size), {})[title] = result
    for ((k, m), size), by_title in sorted(found.items()):
        yield [f"{k}+{m}", bytes_text(size), *(answer_cell(by_title.get(title)) for title in tables)]


def answer_cell(result: Result | None) -> str:
    if result is None:
        return "-"
    if result.ranking.inconclusive:
        return Markup("<small>{}</small>").format(result.remarks) + ceph_text(result)
    first = result.first
    name = Markup("<b>{}</b>" if result.verdict(first) == FASTEST else "{}").format(first.name)
    text = Markup("{} {} <small>{}</small>").format(name, speed_text(first), result.remarks)
    return text if len(result.libraries) == 2 else text + ceph_text(result)


def ceph_text(result: Result) -> Markup:
    """The fastest code in Ceph, and its lead over Ceph's other plugins."""
    if not result.ceph_ranking.is_conclusive:
        text = Markup("<small>Ceph: inconclusive: {}</small>").format(result.ceph_ranking.inconclusive)
        return text if result.next_in_ceph else Markup("")
    best, following, ratio = result.ceph_ranking.first, result.next_in_ceph, ""
    if following and (lead := result.ceph_ranking.lead(following)):
        much = f"{ratio_text(lead, between=' to ')} ×" if direction(lead) == FASTER else "not significantly faster than"
        ratio = f", {much} {following.library}"
    return Markup("<small>Ceph: {} {}{}</small>").format(best.name, speed_text(best), ratio)
