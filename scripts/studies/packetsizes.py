"""Whether a packetsize of 3072 is still the fastest for 6+2, as the benchmark of 2013 found: the answer of a run in Markdown."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from ecbench.point.wording import figure_text, size_text, workload_text
from ecbench.report.cases import Case, Cases, Entry, Series, by_case, by_series, fastest, ranked, read_entries
from ecbench.report.findings import ADVISED
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary
from ecbench.statistics.interval import independent_ratio, median

SHAPE = (6, 2)


@dataclasses.dataclass(frozen=True)
class Answer:
    """One technique in one case: its fastest packetsize, the ties, and the advised one."""

    case: Case
    series: Series
    members: list[Entry]
    best: Entry
    ties: Sequence[Entry]
    advised: Entry | None  # None if it was not measured

    @property
    def advised_holds(self) -> bool | None:
        """None if it was not measured."""
        return None if self.advised is None else self.advised is self.best or self.advised in self.ties

    @property
    def advised_loss(self) -> tuple[float, float | None, float | None]:
        """Percent by which the advised packetsize, which was measured, is slower than the best, and the ends of the interval."""
        if self.advised is None or self.advised is self.best:
            return 0.0, None, None
        ratio = independent_ratio(self.advised.summary.estimate, self.best.summary.estimate)
        low, high = (None if end is None else loss_percent(end) for end in (ratio.high, ratio.low))
        return loss_percent(self.advised.gb_per_s / self.best.gb_per_s), low, high

    @property
    def best_by_padded_bytes(self) -> Entry:
        """The fastest packetsize if padding were counted."""
        return max(self.members, key=padded_gb_per_s)


def loss_percent(ratio: float) -> float:
    return 100 * (1 - ratio)


def packetsize_of(entry: Entry) -> int:
    return entry.packetsize or 0


def padding(entry: Entry) -> float:
    return entry.summary.padding_percent or 0


def speed(entry: Entry) -> float:
    return float(entry.gb_per_s)


def padded_gb_per_s(entry: Entry) -> float:
    """10^9 bytes of padded object per second."""
    return speed(entry) * (1 + padding(entry) / 100)


def cases_of(summaries: Sequence[PointSummary]) -> Cases:
    """Ordered by size and workload."""
    entries, = read_entries([summaries])
    cases = {case: members for case, members in by_case(entries).items() if (case.k, case.m) == SHAPE}
    return dict(sorted(cases.items(), key=lambda item: (item[0].size, item[0].workload != "encode", item[0].workload,
                                                        item[0].erasures, item[0].options)))


def answers_of(cases: Cases) -> list[Answer]:
    """An answer for each technique of each case that was measured at several packetsizes."""
    found = []
    for case, entries in cases.items():
        for series, members in by_series(entries).items():
            if len({entry.packetsize for entry in members}) > 1:
                order = ranked(members)
                advised = next((entry for entry in members if entry.packetsize == ADVISED), None)
                found.append(Answer(case, series, members, order.first, order.ties, advised))
    return found


def median_loss(answers: Iterable[Answer], speed_of: Callable[[Entry], float] = speed) -> float | None:
    """Percent by which the advised packetsize is slower than the fastest; None if it was not measured."""
    losses = [loss_percent(speed_of(answer.advised) / max(map(speed_of, answer.members))) for answer in answers if answer.advised]
    return median(losses) if losses else None


def section(run: Run, name: str, summaries: Sequence[PointSummary]) -> str | None:
    """The answer of one run; `name` is its path for the reader. None if it was not measured at several packetsizes."""
    cases = cases_of(summaries)
    found = answers_of(cases)
    if not found:
        return None
    parts = [f"### {run.header['machine']['cpu']}: is {ADVISED} still the fastest packetsize for {SHAPE[0]}+{SHAPE[1]}?",
             origin(run, name, summaries), verdict(found), size_table(found), best_table(found), padding_paragraph(found)]
    if table := other_codes_table(cases):
        parts += ["The fastest codes with packets and the codes without packets, GB/s and the ratio to the former:", table]
    return "\n\n".join(parts)


def origin(run: Run, name: str, summaries: Sequence[PointSummary]) -> str:
    header = run.header
    widths = [summary.interval_percent for summary in summaries if summary.interval_percent is not None]
    sure = f", their 95 % intervals ±{median(widths):.1f} % at the median" if widths else ""
    notes = "".join(f" The run is {note}." if note.startswith("not ") else f" {note}." for note in run.notes)
    return (f"From [{name}]({name}), begun {header['started']}: {len(summaries)} points, {header['repetitions']} repetitions each"
            f"{sure}.{notes}")


def verdict(found: Sequence[Answer]) -> str:
    measured = [answer for answer in found if answer.advised]
    if not measured:
        return f"**It was not measured**: no point of the run has a packetsize of {ADVISED}."
    holds = sum(answer.advised_holds is True for answer in measured)
    word = "Yes" if holds == len(measured) else "No" if holds == 0 else "Not everywhere"
    text = (f"**{word}.** {ADVISED} is the fastest, or a tie (the 95 % interval of the ratio contains 1), in {holds} of "
            f"{len(measured)} cases; a case is a technique, a workload and a size. At the median it is "
            f"{median_loss(measured):.1f} % slower than the fastest.")
    without = len(found) - len(measured)  # a grid leaves 3072 out if it pads most, which is where it is slowest
    return text + (f" In {without} more cases it was not measured, because the grid limits padding." if without else "")


def size_table(found: Sequence[Answer]) -> str:
    sizes: dict[int, list[Answer]] = {}
    for answer in found:
        sizes.setdefault(answer.case.size, []).append(answer)
    rows = []
    for size, members in sizes.items():
        measured = [answer for answer in members if answer.advised]
        holds = f"{sum(answer.advised_holds is True for answer in measured)} of {len(measured)}" if measured else "not measured"
        losses = [answer.advised_loss[0] for answer in measured]
        best = [packetsize_of(answer.best) for answer in members]
        rows.append([size_text(size), holds, percent(median(losses) if losses else None), percent(max(losses, default=None)),
                     str(best[0]) if min(best) == max(best) else f"{min(best)} to {max(best)}"])
    titles = ["object", f"{ADVISED} is the fastest or a tie", "slower at the median", "at most", "fastest packetsizes"]
    return markdown_table(titles, rows)


def best_table(found: Sequence[Answer]) -> str:
    rows = [[workload_of(answer.case), size_text(answer.case.size), answer.series.label, str(answer.best.packetsize),
             with_interval(answer.best), percent(padding(answer.best)),
             ", ".join(map(str, sorted(map(packetsize_of, answer.ties)))) or "none",
             loss_text(answer), percent(padding(answer.advised)) if answer.advised else "-"] for answer in found]
    return markdown_table(["workload", "object", "technique", "fastest packetsize", "GB/s", "padding", "ties",
                           f"{ADVISED} is slower by", "its padding"], rows)


def padding_paragraph(found: Sequence[Answer]) -> str:
    moved = sum(answer.best_by_padded_bytes is not answer.best for answer in found)
    text = f"Padding is not counted. If it were, another packetsize would be the fastest in {moved} of {len(found)} cases"
    counted, plain = median_loss(found, padded_gb_per_s), median_loss(found)
    return text + ("." if plain is None else f", and {ADVISED} would be {counted:.1f} % slower than the fastest at the median, "
                                             f"instead of {plain:.1f} %.")


def other_codes_table(cases: Cases) -> str:
    """Empty if no case has codes with and without packets."""
    compared = []
    for case, entries in cases.items():
        with_packets = [entry for entry in entries if entry.packetsize is not None]
        others = by_series([entry for entry in entries if entry.packetsize is None])
        if with_packets and others:
            compared.append((case, fastest(with_packets), {series.label: fastest(members) for series, members in others.items()}))
    labels = list(dict.fromkeys(label for _, _, others in compared for label in others))
    rows = [[workload_of(case), size_text(case.size), best.code, with_interval(best),
             *(f"{with_interval(others[label])}, {speed(others[label]) / speed(best):.2f}x" if label in others else "-"
               for label in labels)] for case, best, others in compared]
    return markdown_table(["workload", "object", "fastest with packets", "GB/s", *labels], rows) if rows else ""


def workload_of(case: Case) -> str:
    return ", ".join([workload_text(case.workload, case.erasures), *case.extras])


def with_interval(entry: Entry) -> str:
    return " ".join(word for word in (figure_text(entry.gb_per_s), entry.interval_text) if word)


def loss_text(answer: Answer) -> str:
    if answer.advised is None:
        return "not measured"
    if answer.advised is answer.best:
        return "it is the fastest"
    loss, low, high = answer.advised_loss
    return percent(loss) + ("" if low is None or high is None else f" ({low:.1f} to {high:.1f})")


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} %"


def markdown_table(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in lines)
