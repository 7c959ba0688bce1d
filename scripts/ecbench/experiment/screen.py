"""One screen for an experiment with the view bars: a line with a bar for each code, the answer, and the commands that follow."""

import contextlib
import datetime
import itertools
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from ecbench.ceph.profile import command_of, default_rank
from ecbench.comparison.answer import answer, times
from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.comparison.figures import Rounds, tail_of
from ecbench.comparison.select import Selection, select
from ecbench.experiment.results import Results
from ecbench.installation.places import command
from ecbench.point.point import Point, cores_text, figure_text, size_text, size_word
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import libisal_release
from ecbench.statistics.interval import Estimate, median
from ecbench.terminal.console import Coloured, columns_of, plain, shown_width, supports_colours

IN_CEPH = ("isa", "jerasure")
EIGHTHS = " ▏▎▍▌▋▊▉█"
LABEL, LEAST_BAR, MOST_CODES = 26, 6, 12
BOLD, DIM = "1", "2"
IN_A_PIPE = 80
MOST_OF_LIMIT = 1.05


@dataclass(frozen=True)
class Line:
    text: str
    colour: str = ""


@dataclass(frozen=True)
class Code:
    label: str
    encode: Candidate
    decode: float | None

    def __str__(self) -> str:
        return self.label

    @property
    def point(self) -> Point:
        return self.encode.point

    @property
    def speed(self) -> Estimate:
        return self.encode.speed

    @property
    def is_in_ceph(self) -> bool:
        return self.point.plugin in IN_CEPH and not self.point.codec_lib


def screen_lines(run: Run, results: Results, more: str, width: int | None = None) -> Iterator[Line]:
    """At most 24 lines of at most `width` columns. Nothing if the run has no figure of encode, or several k+m or sizes."""
    cases = {case.held.get("workload", "encode"): (case, found) for case, found in results.cases}
    if "encode" not in cases or len(cases) < len(results.cases):
        return
    case, found = cases["encode"]
    codes = codes_of(run, found, cases.get("decode", (case, None))[1])
    width = width or columns_of(sys.stdout, IN_A_PIPE)
    inside, others = ([code for code in codes if code.is_in_ceph == is_in] for is_in in (True, False))
    rounds = Rounds.of_rows({code: code.encode.rows for code in codes})
    selection: Selection[Any] | None = select(rounds, found.failed, inside, found.unmeasured) if inside else None
    ties = set(selection.leaders) if selection else set()
    limit = results.limit(case, found)
    head = title(run, codes)
    yield Line(head if len(head) <= width else head[:width - 1] + "…")
    top = max(limit or 0, *(code.speed.median for code in codes))
    if limit and top > MOST_OF_LIMIT * limit:
        limit = None  # other programs disturbed its only measurement of the last 30 s
    lost = max((point.erasures or 0 for point in run.points.values()), default=0)
    yield from drawn([*inside, *others], len(inside), ties, limit, top, lost, width)
    if selection is None:
        return
    best, chosen = selection.first, min(selection.leaders, key=lambda code: default_rank(code.point))
    if others:
        ratio = rounds.ratio(others[0], best, tail_of(1))
        interval = f" (95 %: {ratio.low:.2f} to {ratio.high:.2f} times)" if ratio.low is not None else ""
        if ratio.median > 1:
            yield from wrapped(f"{others[0]}, not in Ceph, is {times(ratio.median)} {best}{interval}", width, DIM)
    if setting := command_of(chosen.point):
        *first, end = wrapped(f"set:  {setting}", width - 2)
        yield from (Line(f"{line.text} \\") for line in first)
        yield end
    k, m = chosen.point.get("k"), chosen.point.get("m")
    unit = f" stripe-unit={size_word(chosen.point.stripe_unit)}" if chosen.point.stripe_unit else ""
    following = command(f"tune k={k} m={m} size={size_word(chosen.point.size)}{unit}")
    yield from wrapped(f"next: {following}", width, DIM)
    yield from wrapped(str(answer(rounds, selection, more)), width, BOLD)


def codes_of(run: Run, encodes: Comparison, decodes: Comparison | None) -> list[Code]:
    """The fastest profile of each technique, the fastest first."""
    found: dict[str, Code] = {}
    for name, candidate in encodes.candidates.items():
        other = decodes.candidates.get(name) if decodes else None
        point, packetsize = candidate.point, candidate.point.get("packetsize")
        label = f"{point.plugin} {point.get('technique') or ''}".strip()[:LABEL]
        if point.codec_lib and point.plugin == "isa":
            label = f"ISA-L {libisal_release(run.rows.get(point.id, [])) or point.codec_lib}"[:LABEL]
        if label not in found or candidate.speed.median > found[label].speed.median:
            found[label] = Code(f"{label}:{packetsize}" if packetsize else label, candidate,
                                other.speed.median if other else None)
    return sorted(found.values(), key=lambda code: -code.speed.median)[:MOST_CODES]


def title(run: Run, codes: Sequence[Code]) -> str:
    point = codes[0].point
    unit = f", stripe unit {size_text(point.stripe_unit)}" if point.stripe_unit else ""
    widths = [width for code in codes if (width := code.speed.width_percent) is not None]
    rows = list(itertools.chain.from_iterable(run.rows.values()))
    rounds = len({row.repetition for row in rows})
    noise = f", noise ±{median(widths):.0f} %" if widths else ""
    seconds = ""
    with contextlib.suppress(ValueError):
        first, last = (datetime.datetime.fromisoformat(end(row.at for row in rows)) for end in (min, max))
        seconds = f"{(last - first).total_seconds():.0f} s, "
    return (f"{point.get('k')}+{point.get('m')}, {size_text(point.size)}{unit}: {seconds}{rounds} round{'s' if rounds > 1 else ''}"
            f"{noise}")


def drawn(codes: Sequence[Code], inside: int, ties: set[Code], limit: float | None, top: float, lost: int,
          width: int) -> Iterator[Line]:
    left = max(len("roofline"), *(len(code.label) for code in codes))
    room = width - left - 13
    has_decode = any(code.decode for code in codes)
    decodes, marks = 10 if has_decode else 0, 10
    shows_cores = room >= decodes + 12 + marks
    bar = room - decodes - 12 * shows_cores - marks
    bar = bar - 1 if bar > LEAST_BAR else 0

    def line(label: str, speed: str, value: float | None, decode: str, cores: str, mark: str) -> str:
        text = f"{label:<{left}} {speed:>11}"
        if bar:
            drawn = bar_of(value / top, bar) if value else ""
            text += f" {drawn}{' ' * (bar - shown_width(drawn))}"
        text += (f" {decode:>9}" if has_decode else "") + (f" {cores:>11}" if shows_cores else "")
        return f"{text} {mark}".rstrip()[:width]

    yield Line(line("", "encode GB/s", None, f"decode {lost}", "cores/100G", ""), DIM)
    for number, code in enumerate(codes):
        if number == inside:
            yield Line("other libraries, same work:", DIM)
        mark = "= " if len(ties) > 1 and code in ties else "  "
        mark += "default" if code.is_in_ceph and default_rank(code.point) == 0 else ""
        percent = code.speed.width_percent
        spread = "" if percent is None else f" ±{percent:.0f}%"
        yield Line(line(code.label, figure_text(code.speed.median) + spread, code.speed.median, figure_text(code.decode),
                        cores_text(code.encode.middle(lambda row: row.cpu_seconds_per_gb)), mark))
    if limit:
        yield Line(line("roofline", figure_text(limit), limit, "", "", ""), DIM)


def bar_of(share: float, width: int) -> str:
    eighths = round(min(share, 1) * width * 8)
    return EIGHTHS[8] * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")


def wrapped(text: str, width: int, colour: str = "") -> Iterator[Line]:
    """Lines that are broken between words; a word that is longer than a line stays whole, since it may be a path."""
    for line in textwrap.wrap(" ".join(text.split()), width, subsequent_indent=" " * 6, break_long_words=False,
                              break_on_hyphens=False):
        yield Line(line, colour)


def print_lines(lines: Sequence[Line], out: TextIO) -> None:
    colours = supports_colours(out)
    for line in lines:
        text = plain(line.text)
        out.write(Coloured(f"\x1b[{line.colour}m{text}\x1b[0m\n") if colours and line.colour else f"{text}\n")
