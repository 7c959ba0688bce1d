"""One screen for an experiment with the view bars: a line with a bar for each code, the answer, and the commands that follow."""

import contextlib
import dataclasses
import datetime
import itertools
import sys
import textwrap
from collections.abc import Iterator, Sequence

from ecbench.ceph.profile import command_of, default_rank
from ecbench.comparison.answer import UNSURE, answer, times
from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.comparison.figures import Rounds, tail_of
from ecbench.comparison.select import select
from ecbench.experiment.results import Results
from ecbench.installation.places import command
from ecbench.point.point import Point, figure_text, number_text, size_text, size_word
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import all_rows, libisal_release
from ecbench.statistics.interval import median
from ecbench.terminal.console import Coloured, columns, columns_of, number_of, plain, shown_width, supports_colours

IN_CEPH = ("isa", "jerasure")
EIGHTHS = " ▏▎▍▌▋▊▉█"
LABEL, LEAST_BAR, MOST_CODES = 26, 6, 12
BOLD, DIM = "1", "2"
IN_A_PIPE = 80
MOST_OF_LIMIT = 1.05
Line = tuple[str, str]  # text and colour


def screen_lines(run: Run, results: Results, more: str) -> Iterator[Line]:
    """At most 24 lines, as wide as the terminal. Nothing if the run has no figure of encode, or several k+m or sizes."""
    cases = {case.held.get("workload", "encode"): (case, found) for case, found in results.cases}
    if "encode" not in cases or len(cases) < len(results.cases):
        return
    case, found = cases["encode"]
    names = fastest_names(run, found)
    codes = {label: found.candidates[name] for label, name in names.items()}
    width = columns_of(sys.stdout, IN_A_PIPE)
    points = {label: code.point for label, code in codes.items()}
    inside = [label for label, point in points.items() if is_in_ceph(point)]
    others = [label for label in codes if label not in inside]
    rounds = Rounds.of_rows({label: code.rows for label, code in codes.items()})
    selection = select(rounds, found.failed, inside, found.unmeasured) if inside else None
    ties: list[str] = []
    if selection:  # the ratios are those of the shown figures, which may be of more rounds
        ratios = {label: dataclasses.replace(ratio, median=min(1, codes[label].speed.median / codes[selection.first].speed.median))
                  for label, ratio in selection.ratios.items()}
        selection = dataclasses.replace(selection, ratios=ratios)
        ties = selection.leaders
    head = title(run, list(codes.values()))
    yield head if len(head) <= width else head[:width - 1] + "…", ""
    # Other programs may have disturbed the only measurement of the roofline in the last 30 s.
    limit, top = results.limit(case, found) or 0, max(code.speed.median for code in codes.values())
    decodes = cases["decode"][1].candidates if "decode" in cases else {}
    rows = []
    for label in [*inside, *others]:
        code, decode = codes[label], decodes.get(names[label])
        percent = code.speed.width_percent
        mark = "" if len(ties) < 2 else "= " if label in ties else "  "
        rows.append((code.speed.median, [
            label, figure_text(code.speed.median) + ("" if percent is None else f" ±{percent:.0f}%"),
            *([figure_text(decode.speed.median if decode else None)] if decodes else []),
            number_text(code.middle(lambda row: row.cores), 2), number_text(code.middle(lambda row: row.code_percent), 0),
            mark + "default" * (is_in_ceph(code.point) and default_rank(code.point) == 0)]))
    if limit and top <= MOST_OF_LIMIT * limit:
        rows.append((limit, ["roofline", figure_text(limit), *([""] if decodes else []), "", "", ""]))
    lost = max((point.erasures or 0 for point in run.points.values()), default=0)
    heads = ["", "encode GB/s", *([f"decode {lost}"] if decodes else []), "cores/100G", "%code", ""]
    for number, line in enumerate(with_bars([(0, heads), *rows], width)):
        if others and number == len(inside) + 1:
            yield "other libraries, same work:", DIM
        yield line, "" if 0 < number <= len(codes) else DIM
    if selection is None:
        return
    best, last = selection.first, answer(rounds, selection, more, of=" to encode")
    chosen = min((points[label] for label in ([best, *selection.ties] if last.word == UNSURE else ties)), key=default_rank)
    if others:
        ratio = rounds.ratio(others[0], best, tail_of(1))
        interval = f" (95 %: {ratio.low:.2f} to {ratio.high:.2f} times)" if ratio.low is not None else ""
        if ratio.median > 1:
            yield from wrapped(f"{others[0]}, not in Ceph, is {times(ratio.median)} {best}{interval}", width, DIM)
    if setting := command_of(chosen):
        *first, end = wrapped(f"set:  {setting}", width - 2)
        yield from ((f"{text} \\", "") for text, _ in first)
        yield end
    unit = f" stripe-unit={size_word(chosen.stripe_unit)}" if chosen.stripe_unit else ""
    following = command(f"tune k={chosen.get('k')} m={chosen.get('m')} size={size_word(chosen.size)}{unit}")
    yield from wrapped(f"next: {following}", width, DIM)
    yield from wrapped(str(last), width, BOLD)


def is_in_ceph(point: Point) -> bool:
    return point.plugin in IN_CEPH and not point.codec_lib


def fastest_names(run: Run, encodes: Comparison) -> dict[str, str]:
    """Label → the name of the fastest candidate of each technique, the fastest first."""
    found: dict[str, tuple[str, Point]] = {}
    for name, code in sorted(encodes.candidates.items(), key=lambda item: -item[1].speed.median):
        point = code.point
        label = f"{point.plugin} {point.get('technique') or ''}".strip()
        if point.codec_lib and point.plugin == "isa":
            label = f"ISA-L {libisal_release(run.rows.get(point.id, [])) or point.codec_lib}"
        found.setdefault(label[:LABEL], (name, point))
    return {f"{label}:{packetsize}" if (packetsize := point.get("packetsize")) else label: name
            for label, (name, point) in itertools.islice(found.items(), MOST_CODES)}


def title(run: Run, codes: Sequence[Candidate]) -> str:
    point = codes[0].point
    unit = f", stripe unit {size_text(point.stripe_unit)}" if point.stripe_unit else ""
    widths = [width for code in codes if (width := code.speed.width_percent) is not None]
    rows = list(all_rows(run))
    rounds = len({row.repetition for row in rows})
    noise = f", noise ±{median(widths):.0f} %" if widths else ""
    seconds = ""
    with contextlib.suppress(ValueError):
        first, last = (datetime.datetime.fromisoformat(end(row.at for row in rows)) for end in (min, max))
        seconds = f"{(last - first).total_seconds():.0f} s, "
    return (f"{point.get('k')}+{point.get('m')}, {size_text(point.size)}{unit}: {seconds}{number_of(rounds, 'round')}{noise}")


def with_bars(rows: Sequence[tuple[float, list[str]]], width: int) -> Iterator[str]:
    """Aligned lines of values and cells; the last cells but one are left out if there is no room for them and a bar. Between the
    second and the third cell, a bar for the value, as wide as the room that is left."""
    top, lines = max(value for value, _ in rows), [cells for _, cells in rows]

    def used() -> int:
        return max(map(shown_width, columns(lines, right)))

    right = [False, *[True] * (len(lines[0]) - 2), False]
    while width - used() - 2 <= LEAST_BAR and len(right) > 4:
        lines, right = [[*cells[:-2], cells[-1]] for cells in lines], [*right[:-2], False]
    if (bar := width - used() - 2) > LEAST_BAR:
        eighths = [round(min(value / top, 1) * bar * 8) for value, _ in rows]
        lines = [[*cells[:2], f"{EIGHTHS[8] * (count // 8) + EIGHTHS[count % 8].strip():{bar}}", *cells[2:]]
                 for cells, count in zip(lines, eighths, strict=True)]
        right = [*right[:2], False, *right[2:]]
    yield from (line[:width] for line in columns(lines, right))


def wrapped(text: str, width: int, colour: str = "") -> Iterator[Line]:
    """Lines that are broken between words; a word that is longer than a line stays whole, since it may be a path."""
    for line in textwrap.wrap(" ".join(text.split()), width, subsequent_indent=" " * 6, break_long_words=False,
                              break_on_hyphens=False):
        yield line, colour


def print_lines(lines: Sequence[Line]) -> None:
    colours = supports_colours(sys.stdout)
    for text, colour in lines:
        sys.stdout.write(Coloured(f"\x1b[{colour}m{plain(text)}\x1b[0m\n") if colours and colour else f"{plain(text)}\n")
