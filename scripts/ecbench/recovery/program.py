"""bench.sh recovery: how many chunks are read and sent to repair a lost chunk, and the speed of the repair. Exit codes: 0; 1 for
bad input; 2 after wrong bytes; 128 + the signal's number."""

import itertools
import re
import textwrap
from collections.abc import Sequence

from ecbench.comparison.comparison import Comparison, exit_code
from ecbench.comparison.questions import CHANGE
from ecbench.measure import rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.mode import Mode
from ecbench.point.point import bytes_text
from ecbench.process.children import Child
from ecbench.recovery import codes, local
from ecbench.recovery.codes import Code
from ecbench.recovery.counted import Counter
from ecbench.recovery.request import AXES, Request, read_request
from ecbench.recovery.tables import Lines, Tables
from ecbench.runfile.summary import MARKED
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say

EXAMPLES = """\
bench.sh recovery --counts-only
bench.sh recovery k=8 m=3 size=4M"""

DESCRIPTION = """Prints how many chunks are read and sent to repair one lost chunk with Reed-Solomon, CLAY, SHEC and LRC. The
numbers are counted from the read sets that each code requests (ecbench --show-reads). The last columns show the measured speed of
the repair, in 10^9 bytes of the object per second. Ceph calls this speed the recovery speed. In the measurement, each chunk is lost
in turn. Without k and m, the tables contain the codes of the article "Erasure Code in Ceph: costs and benefits". The numbers in the
article are then compared with the counted numbers."""

WORDS = """words:
  k=8,10 m=3                  numbers of data chunks and coding chunks (default: all pairs of k and m in the article; if only k or
                              only m is given: all pairs in the article that have this k or this m)
  c=2 l=4                     c: parameter of SHEC; l: parameter of SHEC and LRC (default if k or m is given: SHEC with every c
                              below m, LRC with every possible l < k+m)
  size=4M                     bytes of the object (default 4M, as in Ceph)
  cache=cold,warm             cold: the chunks that a repair reads are in memory, as if they came from the network; warm: these
                              chunks are in the cache (default cold)
  backend=isa                 the plugin whose kernels all codes use (default isa; the article used jerasure)
Each combination of size and cache has its own tables."""

BEFORE_CLAY = """RS and CLAY (d=k+m-1): `drive` is how much a repair reads from drives, and `network` is how much it sends over the
network. Both are in units of one chunk. The primary OSD reads its own chunk from its drive, receives the data of the other
OSDs, and sends the rebuilt chunk. `blocks` is `drive` for whole checksum blocks of 4 KiB, as BlueStore reads them, with
the stripe unit of 4 KiB, Ceph's default before Tentacle (or the next larger one that CLAY allows)."""
BEFORE_SHEC = """SHEC (technique=single): `overhead` is the number of chunks that a repair reads, divided by k. `1x` is the mean
over all recoverable losses of one chunk, and `2x` is the mean over all recoverable losses of two chunks. c=ml/k is an estimate
of the durability: any floor(c) lost chunks can be decoded. Column `2 lost` shows which share of the erasure patterns with two
lost chunks can be decoded. In Ceph, c must be a whole number. If c is not a whole number, ecbench uses its own parameter l."""
BEFORE_LRC = """LRC: `drive` and `network` are the chunks that are read and sent to repair a lost chunk. `space factor` is n/k. RS
is Reed-Solomon with the same k and m."""


MODE = Mode("recovery", CHANGE, EXAMPLES, DESCRIPTION, WORDS, AXES, lambda arguments: read_request(arguments.words),
            options=lambda parser: parser.add_argument("--counts-only", action="store_true",
                                                       help="print only the numbers of chunks; do not measure speeds"))
read_arguments = MODE.check


def codes_to_measure(request: Request, counter: Counter, lrc: Sequence[tuple[Code, int, int]]) -> list[Code]:
    """Without duplicates, and without codes that ecbench refuses."""
    backend = request.backend
    found = [code for k, m in request.shapes for code in (codes.reed_solomon(k, m, backend), codes.clay(k, m, backend))]
    found += [code for shape in request.shec for code in (codes.reed_solomon(shape.k, shape.m, backend), shape.code(backend))]
    found += [each for code, k, m in lrc for each in (codes.reed_solomon(k, m, backend), code)]
    return list(dict.fromkeys(code for code in found if counter.losses(code)))


def report_refusals(request: Request, counter: Counter, reported: set[str]) -> None:
    """Prints one line for reasons that differ only in numbers. The refusals of the codes in `reported` are printed with the
    tables."""
    reasons: dict[str, tuple[str, list[str]]] = {}
    for name, why in counter.refusals.items():
        if name not in reported:
            reasons.setdefault(re.sub(r"\d+", "N", why), (why, []))[1].append(name)
    for k, m in request.shapes:
        if not any((shape.k, shape.m) == (k, m) for shape in request.shec) and not request.is_article:
            say(f"SHEC {k}+{m} is left out: no c is below m={m}; give c={m} to include it")
    rounds.report_left_out(dict(reasons.values()))


def print_table(title: str, lines: Lines, left: int = 0) -> None:
    print(title)
    for line in aligned(lines, left) if len(lines) > 1 else ():
        print("  " + line)
    print()


def refusal_of(answer: local.Answer) -> str:
    if answer.l is None:
        text = f"k={answer.k} m={answer.m} has no LRC with l < k+m: {answer.why}"
    else:
        near = ", ".join(code.name.removeprefix("LRC ") for code in answer.valid) or "none"
        text = f"k={answer.k} m={answer.m} l={answer.l} is refused: {answer.why}; the nearest valid profiles: {near}"
    return textwrap.fill(text, 120, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def local_codes(request: Request, counter: Counter, answers: Sequence[local.Answer]) -> list[tuple[Code, int, int]]:
    """The valid LRC codes, each with its k and m."""
    found = []
    for answer in answers:
        found += [(code, answer.k, answer.m) for code in answer.valid]
        if request.is_article and (answer.k, answer.m, answer.l) == codes.LRC[0]:
            layered = codes.lrc_844_by_layers(request.backend)
            found += [(layered, answer.k, answer.m)] if counter.losses(layered) else []
    return list(dict.fromkeys(found))


def recovery(child: Child) -> int:
    asked = MODE.ask(child)
    arguments, request = asked.arguments, read_request(asked.arguments.words)
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    counter = Counter(ecbench)
    answers = [local.ask(*shape, counter, request.backend) for shape in request.lrc]
    reported = set(counter.refusals) if any(answer.valid for answer in answers) else set()
    lrc = local_codes(request, counter, answers)
    wanted = codes_to_measure(request, counter, lrc)
    if not wanted:
        raise Refused("ecbench refuses all codes: "
                      f"{counter.refusals[codes.reed_solomon(*request.shapes[0], request.backend).name]}")
    report_refusals(request, counter, reported)
    conditions = list(itertools.product(request.sizes, request.caches))
    run = None
    found: list[Comparison] = []
    if not arguments.counts_only:
        run = rounds.measure(MODE.name, asked, ecbench, {
            code.name + ("" if len(conditions) == 1 else f" of {bytes_text(size)}, {cache}"): code.repair(size, cache)
            for size, cache in conditions for code in wanted})
        found = [Comparison.of_run(run, {code.name: code.repair(*condition) for code in wanted}) for condition in conditions]
    for (size, cache), figures in zip(conditions, found or (None,)):
        condition = f"{bytes_text(size)} objects, {cache}"
        if len(found) > 1:
            print(f"{condition}\n")
        print_tables(request, counter, figures, answers, lrc)
        if figures:
            intervals = ", ratios with 95 % intervals" if arguments.rounds >= FEWEST_VALUES else ""
            print(f"GB/s: speed of the repair, in 10^9 bytes of the object per second ({condition}, kernels of {request.backend}). "
                  f"Medians of {arguments.rounds} interleaved rounds{intervals}.")
            print(f"{MARKED}\n" if figures.is_marked else "")
    if not run:
        return 0
    print(f"run: {run.path}")
    return exit_code(run, sum(len(figures.wrong) for figures in found), sum(len(figures.candidates) for figures in found))


def print_tables(request: Request, counter: Counter, figures: Comparison | None, answers: Sequence[local.Answer],
                 lrc: Sequence[tuple[Code, int, int]]) -> None:
    tables = Tables(request, counter, figures)
    print_table(BEFORE_CLAY, tables.clay())
    if len(shec := tables.shec()) > 1:
        print_table(BEFORE_SHEC, shec)
    if answers:
        print_table("\n".join([BEFORE_LRC, *(refusal_of(answer) for answer in answers if answer.why)]), tables.lrc(lrc), left=1)
    if request.is_article:
        for unlike in tables.unlike:
            say(unlike)
        agreed = tables.compared - len(tables.unlike)
        print(f"{agreed} of {tables.compared} figures are equal to those of the article (only the digits in the article are "
              "compared)")


def main() -> int:
    return MODE.run(recovery)
