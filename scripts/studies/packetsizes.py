"""Writes the result of a run as Markdown: whether 3072 is still the fastest packetsize for 6+2. It was the fastest packetsize in a
benchmark of 2013."""

from collections.abc import Callable, Iterable, Sequence

from ecbench.point.wording import figure_text, size_text, workload_text
from ecbench.report.cases import Case, Cases, Entry, by_case, by_series, highest, ranked, read_entries
from ecbench.report.findings import ADVISED, INCONCLUSIVE, PacketsizeFinding, advised_verdict
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary
from ecbench.statistics.interval import median

SHAPE = (6, 2)


class Answer(PacketsizeFinding):
    """A PacketsizeFinding that also contains how much slower the advised packetsize is than the fastest packetsize."""

    @property
    def members(self) -> list[Entry]:
        return self.selection.order

    @property
    def advised_loss(self) -> float:
        """How much slower the advised packetsize is than the fastest, in percent; 0 if it was not measured."""
        return loss_percent(self.advised.gb_per_s / self.best.gb_per_s) if self.advised else 0.0

    @property
    def best_by_padded_bytes(self) -> Entry:
        """The packetsize that is the fastest if the speed includes the bytes of the padding."""
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
    """The speed in 10^9 bytes of the padded object per second."""
    return speed(entry) * (1 + padding(entry) / 100)


def cases_of(summaries: Sequence[PointSummary]) -> Cases:
    """The cases with the k and m of SHAPE, ordered by size and workload."""
    entries, = read_entries([summaries])
    cases = {case: members for case, members in by_case(entries).items() if (case.k, case.m) == SHAPE}
    return dict(sorted(cases.items(), key=lambda item: (item[0].size, item[0].workload != "encode", item[0].workload,
                                                        item[0].erasures, item[0].cache, item[0].options)))


def answers_of(cases: Cases) -> list[Answer]:
    """Returns an answer for each case and technique. A technique has no answer if it was measured at only one packetsize."""
    found = []
    for case, entries in cases.items():
        for series, members in by_series(entries).items():
            if len({entry.packetsize for entry in members}) > 1:
                advised = next((entry for entry in members if entry.packetsize == ADVISED), None)
                found.append(Answer(ranked(members), case, series, "", advised))
    return found


def median_loss(answers: Iterable[Answer], speed_of: Callable[[Entry], float] = speed) -> float | None:
    """How much slower the advised packetsize is than the fastest packetsize, in percent (median of the answers). None if no answer
    has the advised packetsize."""
    losses = [loss_percent(speed_of(answer.advised) / max(map(speed_of, answer.members))) for answer in answers if answer.advised]
    return median(losses) if losses else None


def section(run: Run, name: str, summaries: Sequence[PointSummary]) -> str | None:
    """Returns the result of one run. Returns None if no technique of 6+2 was measured at several packetsizes. `name` is the path of
    the run file, as the reader sees it."""
    cases = cases_of(summaries)
    found = answers_of(cases)
    if not found:
        return None
    parts = [f"### {run.header.machine.cpu}: is {ADVISED} still the fastest packetsize for {SHAPE[0]}+{SHAPE[1]}?",
             verdict(found), origin(run, name, summaries), size_table(found), padding_paragraph(found)]
    if table := other_codes_table(cases):
        parts += ["Codes without packets, and the ratio of their speed to that of the fastest code with packets:", table]
    return "\n\n".join(parts)


def origin(run: Run, name: str, summaries: Sequence[PointSummary]) -> str:
    header = run.header
    widths = [summary.interval_percent for summary in summaries if summary.interval_percent is not None]
    sure = f" Median 95 % interval: ±{median(widths):.1f} %." if widths else ""
    notes = "".join(f" The run is {note}." if note.startswith("not ") else f" {note}." for note in run.notes)
    return (f"[Run]({name}) of {header.started[:10]}: {len(summaries)} points, {header.repetitions} repetitions."
            f"{sure}{notes}")


def verdict(found: Sequence[Answer]) -> str:
    return f"**{advised_verdict(found)}**{loss_sentence(found)}"


def loss_sentence(found: Sequence[Answer]) -> str:
    judged = [answer for answer in found if answer.advised_holds is not None]
    loss, cases = median_loss(judged), "case" if len(judged) == 1 else f"{len(judged)} cases"
    return "" if loss is None else f" In the {cases} with a verdict, it is {loss:.1f} % slower than the fastest (median)."


def size_table(found: Sequence[Answer]) -> str:
    sizes: dict[int, list[Answer]] = {}
    for answer in found:
        sizes.setdefault(answer.case.size, []).append(answer)
    rows = []
    for size, members in sizes.items():
        measured = [answer for answer in members if answer.advised]
        known = [answer for answer in measured if answer.advised_holds is not None]
        unknown = len(measured) - len(known)
        holds = f"{sum(answer.advised_holds is True for answer in known)} of {len(known)}" if known else ""
        doubt = f"{unknown} {INCONCLUSIVE}" if unknown else ""
        losses = [answer.advised_loss for answer in known]
        rows.append([size_text(size), ", ".join(filter(None, (holds, doubt))) or "not measured",
                     percent(median(losses) if losses else None), percent(max(losses, default=None)),
                     range_text([packetsize_of(answer.best) for answer in members if answer.is_conclusive])])
    titles = ["object", f"{ADVISED} fastest or tied", "slower by (median)", "at most", "fastest packetsizes"]
    return markdown_table(titles, rows)


def range_text(packetsizes: Sequence[int]) -> str:
    if not packetsizes:
        return INCONCLUSIVE
    low, high = min(packetsizes), max(packetsizes)
    return str(low) if low == high else f"{low} to {high}"


def padding_paragraph(found: Sequence[Answer]) -> str:
    conclusive = [answer for answer in found if answer.is_conclusive]
    moved = sum(answer.best_by_padded_bytes is not answer.best for answer in conclusive)
    counted = median_loss([answer for answer in found if answer.advised_holds is not None], padded_gb_per_s)
    return (f"If padding were counted in GB/s, another packetsize would be the fastest in {moved} of the {len(conclusive)} "
            f"conclusive cases{f', and {ADVISED} would be {counted:.1f} % slower (median)' if counted is not None else ''}.")


def other_codes_table(cases: Cases) -> str:
    """Returns a table that compares codes with packets and codes without packets. Returns "" if no case contains codes of both
    types."""
    compared = []
    for case, entries in cases.items():
        with_packets = [entry for entry in entries if entry.packetsize is not None]
        others = by_series([entry for entry in entries if entry.packetsize is None])
        if with_packets and others:
            compared.append((case, highest(with_packets), {series.label: highest(members) for series, members in others.items()}))
    labels = list(dict.fromkeys(label for _, _, others in compared for label in others))
    rows = [[workload_of(case), size_text(case.size), code_of(best), with_interval(best),
             *(f"{with_interval(others[label])}, {speed(others[label]) / speed(best):.2f}x" if label in others else "-"
               for label in labels)] for case, best, others in compared]
    return markdown_table(["workload", "object", "fastest with packets", "GB/s", *labels], rows) if rows else ""


def code_of(entry: Entry) -> str:
    """With w, because the default w of a technique may not recover all losses."""
    w = entry.summary.point.get("w")
    return entry.code + (f" and w={w}" if w else "")


def workload_of(case: Case) -> str:
    return ", ".join([workload_text(case.workload, case.erasures), *case.extras])


def with_interval(entry: Entry) -> str:
    return " ".join(word for word in (figure_text(entry.gb_per_s), entry.interval_text) if word)


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} %"


def markdown_table(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in lines)
