"""The answers of a run in Markdown: paragraphs and tables, every figure from the run file."""

import answers
from ecbench.point.wording import figure_text, size_text, workload_text
from ecbench.report.findings import ADVISED
from ecbench.statistics.interval import median


def section(run, name, summaries):
    """Of one run; `name` is its file as the reader finds it. None if it was not measured at several packetsizes."""
    cases = answers.cases_of(summaries)
    found = answers.answers_of(cases)
    if not found:
        return None
    k, m = answers.SHAPE
    parts = [f"### {run.header['machine']['cpu']}: is {ADVISED} still the best packetsize for {k}+{m}?",
             origin(run, name, summaries), verdict(found), size_table(found), best_table(found), padding_paragraph(found)]
    besides = answers.besides_of(cases)
    if besides:
        parts += ["Beside the codes that have no packets, GB/s and the ratio to the best of those that have:",
                  beside_table(besides)]
    return "\n\n".join(part for part in parts if part)


def origin(run, name, summaries):
    header = run.header
    widths = [summary.interval_percent for summary in summaries if summary.interval_percent is not None]
    sure = f", their 95 % intervals ±{median(widths):.1f} % at the median" if widths else ""
    notes = "".join(f" The run is {note}." if note.startswith("not ") else f" {note}." for note in run.notes)
    return (f"From [{name}]({name}), begun {header['started']}: {len(summaries)} points, {header['repetitions']} repetitions each"
            f"{sure}.{notes}")


def verdict(found):
    measured = [answer for answer in found if answer.advised]
    if not measured:
        return f"**It was not measured**: no point of the run has a packetsize of {ADVISED}."
    holds = sum(answer.advised_holds for answer in measured)
    word = "Yes" if holds == len(measured) else "No" if holds == 0 else "Not everywhere"
    return (f"**{word}.** {ADVISED} is the best, or cannot be told from the best (the 95 % interval of their ratio reaches 1), in "
            f"{holds} of {len(measured)} cases; a case is a technique at a workload and a size. It is "
            f"{answers.median_loss(measured):.1f} % slower than the best at the median." + without(found, measured))


def without(found, measured):
    """What the count leaves out: a grid drops 3072 where it pads most, which is where it does worst."""
    count = len(found) - len(measured)
    return f" In {count} more cases it was not measured: the grid leaves out what pads the object by too much." if count else ""


def size_table(found):
    rows = []
    for size, members in answers.by_size(found).items():
        measured = [answer for answer in members if answer.advised]
        holds = f"{sum(answer.advised_holds for answer in measured)} of {len(measured)}" if measured else "not measured"
        losses = [answer.advised_loss[0] for answer in measured]
        best = [answer.best.packetsize for answer in members]
        rows.append([size_text(size), holds, percent(median(losses) if losses else None), percent(max(losses, default=None)),
                     str(best[0]) if min(best) == max(best) else f"{min(best)} to {max(best)}"])
    return table(["object", f"{ADVISED} is the best or as good", "slower at the median", "at worst", "best packetsizes"], rows)


def best_table(found):
    rows = [[work_of(answer.case), size_text(answer.case.size), answer.series.label, str(answer.best.packetsize),
             with_interval(answer.best), percent(answers.padding(answer.best)), as_good_text(answer), loss_text(answer),
             percent(answers.padding(answer.advised)) if answer.advised else "-"] for answer in found]
    return table(["workload", "object", "technique", "best packetsize", "GB/s", "padding", "not to be told from it",
                  f"{ADVISED} is slower by", "its padding"], rows)


def padding_paragraph(found):
    moved = [answer for answer in found if answer.best_by_padded_bytes is not answer.best]
    text = f"Padding is never credited. If it were, the best packetsize would be another one in {len(moved)} of {len(found)} cases"
    credited, plain = answers.median_loss(found, answers.padded_gb_per_s), answers.median_loss(found)
    if plain is None:
        return text + "."
    return text + f", and {ADVISED} would be {credited:.1f} % slower than the best at the median, in place of {plain:.1f} %."


def beside_table(besides):
    labels = list(dict.fromkeys(label for beside in besides for label in beside.others))
    rows = [[work_of(beside.case), size_text(beside.case.size), beside.best.code, with_interval(beside.best),
             *(beside_text(beside, label) for label in labels)] for beside in besides]
    return table(["workload", "object", "best with packets", "GB/s", *labels], rows)


def beside_text(beside, label):
    entry = beside.others.get(label)
    return "-" if entry is None else f"{with_interval(entry)}, {entry.gb_per_s / beside.best.gb_per_s:.2f}x"


def work_of(case):
    return ", ".join([workload_text(case.workload, case.erasures), *case.extras])


def with_interval(entry):
    return " ".join(word for word in (figure_text(entry.gb_per_s), entry.interval_text) if word)


def as_good_text(answer):
    return ", ".join(str(packetsize) for packetsize in sorted(entry.packetsize for entry in answer.as_good)) or "none"


def loss_text(answer):
    if answer.advised is None:
        return "not measured"
    if answer.advised is answer.best:
        return "it is the best"
    loss, low, high = answer.advised_loss
    return percent(loss) + ("" if low is None else f" ({low:.1f} to {high:.1f})")


def percent(value):
    return "-" if value is None else f"{value:.1f} %"


def table(titles, rows):
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in lines)
